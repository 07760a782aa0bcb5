//! `preparePayload`: checks a payload of documents and rewrites it as NDJSON.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Result};
use napi_derive::napi;
use serde_json::{Value, json};
use serval_payload::{Format, Input, PayloadError, to_ndjson};

use crate::outcome::{Answer, Failure, Outcome};
use crate::runtime::{Lane, promise_on};

/// Reads documents from `bytes` or from `rawPath`, and writes them as NDJSON to `outPath`, synced
/// to disk, or gives them back as `inline`.
///
/// `optionsJson`: `{format: "json"|"ndjson"|"csv"|"ids", delimiter?, rawPath?, outPath?}`.
/// The outcome is JSON: `{documents, bytes, inline?}`, of a file `{documents, bytes, crc32}`.
#[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
pub fn prepare_payload<'e>(
    env: &'e Env,
    options_json: String,
    bytes: Option<Buffer>,
) -> Result<Object<'e>> {
    let bytes: Option<Vec<u8>> = bytes.map(|buffer| buffer.to_vec());
    promise_on(env, Lane::Long, move || {
        prepare(&options_json, bytes.as_deref())
    })
}

/// Documents that were checked.
#[napi(object)]
pub struct JsSmallPayload {
    /// How many there are.
    pub documents: u32,
    /// The documents as NDJSON.
    pub inline: String,
}

/// The same on the spot, for documents of a few kilobytes given as `bytes`: a way to another thread
/// and back takes longer than reading them. `delimiter` is for CSV.
#[napi(
    ts_args_type = "format: string, delimiter: string | undefined, bytes: Uint8Array",
    ts_return_type = "{ ok: JsSmallPayload } | { error: JsFailure }"
)]
pub fn prepare_small_payload(
    format: String,
    delimiter: Option<String>,
    bytes: &[u8],
) -> Outcome<JsSmallPayload> {
    Outcome::of(|| {
        let format = format_of(Some(&format), delimiter.as_deref())?;
        let mut inline = Vec::new();
        let documents = convert(Input::Bytes(bytes), format, &mut inline)?;
        let documents = u32::try_from(documents).unwrap_or(u32::MAX);
        let inline = String::from_utf8_lossy(&inline).into_owned();
        Ok(JsSmallPayload { documents, inline })
    })
}

fn prepare(options_json: &str, bytes: Option<&[u8]>) -> Answer<String> {
    let options: Value = serde_json::from_str(options_json)?;
    let format = format_of(options["format"].as_str(), options["delimiter"].as_str())?;
    let input = match (bytes, options["rawPath"].as_str()) {
        (Some(bytes), _) => Input::Bytes(bytes),
        (None, Some(path)) => Input::File(Path::new(path)),
        (None, None) => return Err(Failure::internal("neither bytes nor `rawPath` is given")),
    };
    let answer = match options["outPath"].as_str() {
        Some(path) => {
            let (documents, n_bytes, crc32) = write_file(input, format, Path::new(path))?;
            json!({ "documents": documents, "bytes": n_bytes, "crc32": crc32 })
        }
        None => {
            let mut inline = Vec::new();
            let documents = convert(input, format, &mut inline)?;
            let text = String::from_utf8_lossy(&inline);
            json!({ "documents": documents, "bytes": inline.len(), "inline": text })
        }
    };
    Ok(answer.to_string())
}

fn format_of(format: Option<&str>, delimiter: Option<&str>) -> Answer<Format> {
    match format {
        Some("json") => Ok(Format::Json),
        Some("ndjson") => Ok(Format::Ndjson),
        Some("ids") => Ok(Format::Ids),
        Some("csv") => {
            let delimiter = delimiter.unwrap_or(",").bytes().next().unwrap_or(b',');
            Ok(Format::Csv { delimiter })
        }
        _ => Err(Failure::internal(
            "`format` must be `json`, `ndjson`, `csv` or `ids`",
        )),
    }
}

fn convert(input: Input<'_>, format: Format, out: &mut dyn Write) -> Answer<u64> {
    to_ndjson(input, format, out).map_err(|error| match error {
        PayloadError::Io(error) => error.into(),
        error => Failure::new(error.code(), error.to_string()),
    })
}

/// Writes and syncs the file and its folder entry; on failure the file is removed.
fn write_file(input: Input<'_>, format: Format, path: &Path) -> Answer<(u64, u64, u32)> {
    let written = write_synced(input, format, path);
    if written.is_err() {
        let _ = std::fs::remove_file(path);
    }
    written
}

fn write_synced(input: Input<'_>, format: Format, path: &Path) -> Answer<(u64, u64, u32)> {
    let file = HashedFile {
        file: File::create(path)?,
        hasher: crc32fast::Hasher::new(),
    };
    let mut out = BufWriter::with_capacity(1 << 18, file);
    let documents = convert(input, format, &mut out)?;
    let HashedFile { file, hasher } = out
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)?;
    file.sync_all()?;
    if let Some(folder) = path.parent() {
        sync_folder(folder)?;
    }
    Ok((documents, file.metadata()?.len(), hasher.finalize()))
}

/// A file, and the checksum of what was written to it.
struct HashedFile {
    file: File,
    hasher: crc32fast::Hasher,
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n_written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..n_written]);
        Ok(n_written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}
