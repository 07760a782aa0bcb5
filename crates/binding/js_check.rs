//! Looking through files for damage.

use std::path::PathBuf;

use napi::Env;
use napi::bindgen_prelude::{ClassInstance, Object, Result};
use napi_derive::napi;
use serval_engine::index::{IndexCheck, check_index as check_files};
use serval_store::check_store as check_database;

use crate::js_index::NativeIndex;
use crate::outcome::Failure;
use crate::runtime::{Lane, promise_on};

/// A file that does not hold what was written.
#[napi(object)]
pub struct JsDamagedFile {
    /// Where it is.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What a look through the files of an index found.
#[napi(object)]
pub struct JsIndexCheck {
    /// Number of files that were read.
    pub files: f64,
    /// Those that are damaged.
    pub damaged: Vec<JsDamagedFile>,
}

impl From<IndexCheck> for JsIndexCheck {
    fn from(check: IndexCheck) -> Self {
        let damaged = check.damaged.into_iter().map(|file| JsDamagedFile {
            path: file.path.to_string_lossy().into_owned(),
            reason: file.reason,
        });
        Self {
            files: check.files as f64,
            damaged: damaged.collect(),
        }
    }
}

/// Reads every file of the index in a folder that is not written to, or of one that is open.
#[napi(ts_return_type = "Promise<{ ok: JsIndexCheck } | { error: JsFailure }>")]
pub fn check_index<'e>(
    env: &'e Env,
    folder: String,
    open: Option<ClassInstance<'_, NativeIndex>>,
) -> Result<Object<'e>> {
    let open = open.map(|index| index.handle()).transpose()?;
    promise_on(env, Lane::Long, move || {
        let check = match open {
            Some(open) => open.wake()?.index.check()?,
            None => check_files(&PathBuf::from(folder)),
        };
        Ok::<_, Failure>(JsIndexCheck::from(check))
    })
}

/// What is wrong with the store of a folder; nothing when it is intact.
#[napi(ts_return_type = "Promise<{ ok: string[] } | { error: JsFailure }>")]
pub fn check_store<'e>(env: &'e Env, folder: String) -> Result<Object<'e>> {
    promise_on(env, Lane::Long, move || {
        Ok::<_, Failure>(check_database(&PathBuf::from(folder))?)
    })
}
