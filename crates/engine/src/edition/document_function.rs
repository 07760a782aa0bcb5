//! A compiled function, applied to documents one by one.

use rhai::{AST, Dynamic, Engine, Map, Scope};
use serde_json::{Map as JsonMap, Value};

use super::script_engine::{EditionError, run_error, script_engine};
use super::script_value::{is_same, to_script, write};
use crate::document::raw_document::{JsonText, Member as RawMember, RawDocument, write_string};

const DOCUMENT: &str = "doc";
const CONTEXT: &str = "context";

/// What a function made of a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Edited {
    /// The same document.
    Unchanged,
    /// No document.
    Deleted,
    /// Another document, as JSON.
    Changed(Vec<u8>),
}

/// A function with its context. Stays on the thread it was compiled on.
pub(crate) struct DocumentFunction {
    engine: Engine,
    script: AST,
    scope: Scope<'static>,
}

/// A member of a stored document: its key, its exact text, and the text parsed.
type Member<'d> = (&'d str, JsonText<'d>, Value);

impl DocumentFunction {
    /// Compiles a function. It ends early once `is_stopped` says so.
    ///
    /// # Errors
    /// When it is no valid script.
    pub(crate) fn compile(
        function: &str,
        context: Option<&JsonMap<String, Value>>,
        is_stopped: impl Fn() -> bool + 'static,
    ) -> Result<Self, EditionError> {
        let engine = script_engine(is_stopped);
        let compiled = engine.compile(function);
        let script = compiled.map_err(|error| EditionError::Compilation(error.to_string()))?;
        let mut scope = Scope::new();
        if let Some(context) = context {
            scope.push_constant_dynamic(CONTEXT, to_script(&Value::Object(context.clone())));
        }
        Ok(Self {
            engine,
            script,
            scope,
        })
    }

    /// Runs the function on a document.
    ///
    /// # Errors
    /// When the function fails, or makes of the document what is none.
    pub(crate) fn apply(&mut self, document: &RawDocument<'_>) -> Result<Edited, EditionError> {
        let members = parsed(document)?;
        let values = members.iter();
        let values = values.map(|(key, _, value)| ((*key).into(), to_script(value)));
        let n_before = self.scope.len();
        self.scope
            .push_dynamic(DOCUMENT, Dynamic::from_map(values.collect::<Map>()));
        let ran = self
            .engine
            .run_ast_with_scope(&mut self.scope, &self.script);
        let edited = self.scope.get_value::<Dynamic>(DOCUMENT);
        self.scope.rewind(n_before);
        ran.map_err(|error| run_error(&error))?;
        let edited = edited.ok_or(EditionError::NoObject)?;
        if edited.is_unit() {
            return Ok(Edited::Deleted);
        }
        let edited = edited.read_lock::<Map>().ok_or(EditionError::NoObject)?;
        written(&edited, &members)
    }
}

fn parsed<'d>(document: &'d RawDocument<'_>) -> Result<Vec<Member<'d>>, EditionError> {
    let parse = |(key, raw): &'d RawMember<'_>| {
        let value = serde_json::from_str(raw.get());
        let value = value.map_err(|error| EditionError::Run(error.to_string()))?;
        Ok((&**key, *raw, value))
    };
    document.entries().iter().map(parse).collect()
}

/// The edited document: members that were there in their order, then new ones.
fn written(edited: &Map, members: &[Member<'_>]) -> Result<Edited, EditionError> {
    let mut out = vec![b'{'];
    let mut is_changed = edited.len() != members.len();
    let mut n_written = 0;
    let mut begin_member = |key: &str, out: &mut Vec<u8>| {
        if n_written > 0 {
            out.push(b',');
        }
        n_written += 1;
        write_string(key, out);
        out.push(b':');
    };
    for (key, raw, old) in members {
        let Some(new) = edited.get(*key) else {
            is_changed = true;
            continue;
        };
        begin_member(key, &mut out);
        if is_same(new, old) {
            out.extend_from_slice(raw.get().as_bytes());
        } else {
            is_changed = true;
            write(new, Some(old), &mut out).map_err(EditionError::Run)?;
        }
    }
    let is_new = |key: &str| !members.iter().any(|(known, ..)| *known == key);
    if is_changed {
        for (key, new) in edited.iter().filter(|(key, _)| is_new(key)) {
            begin_member(key, &mut out);
            write(new, None, &mut out).map_err(EditionError::Run)?;
        }
    }
    out.push(b'}');
    Ok(if is_changed {
        Edited::Changed(out)
    } else {
        Edited::Unchanged
    })
}

#[cfg(test)]
mod tests;
