//! `checkTemplate` and `renderTemplate`: templates outside of an index.

use napi::Env;
use napi::bindgen_prelude::{Object, Result};
use napi_derive::napi;
use serde::Deserialize;
use serde_json::{Map, Value};
use serval_template::{Field, Fragment, Globals, TemplateError, truncate};

use crate::outcome::{Answer, Failure, Outcome};
use crate::runtime::{Lane, promise_on};

impl From<TemplateError> for Failure {
    fn from(error: TemplateError) -> Self {
        let code = match error {
            TemplateError::Parse(_) => "template_parsing_error",
            TemplateError::Render(_) => "template_rendering_error",
        };
        Self::new(code, error.to_string())
    }
}

/// Whether a template, or JSON whose strings are templates, can be read: `{ok: null}`, or the
/// `{error}` to show. Costs microseconds, so it runs on the spot.
#[napi(ts_return_type = "{ ok: null } | { error: JsFailure }")]
pub fn check_template(template_json: String) -> Outcome<()> {
    Outcome::of(|| check(&template_json))
}

fn check(template_json: &str) -> Answer<()> {
    let template: Value = serde_json::from_str(template_json)?;
    Fragment::parse(&template)?;
    Ok(())
}

/// What is rendered: a document with the fields of its index, or a query.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rendering {
    template: Value,
    max_bytes: Option<usize>,
    document: Option<Value>,
    #[serde(default)]
    fields: Vec<RenderedField>,
    query: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RenderedField {
    name: String,
    is_searchable: bool,
}

/// Renders `{template, maxBytes?, document?, fields?, query?}` to JSON text.
#[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
pub fn render_template<'e>(env: &'e Env, request: String) -> Result<Object<'e>> {
    promise_on(env, Lane::Quick, move || render(&request))
}

fn render(request: &str) -> Answer<String> {
    let rendering: Rendering = serde_json::from_str(request)?;
    let fields = rendering.fields.iter().map(|field| Field {
        name: &field.name,
        is_searchable: field.is_searchable,
    });
    let globals = match (&rendering.query, &rendering.document) {
        (Some(query), _) => Globals::query(query),
        (None, document) => Globals::document(document.as_ref().unwrap_or(&Value::Null), fields),
    };
    let mut rendered = Fragment::parse(&rendering.template)?.render(&globals)?;
    if let (Value::String(text), Some(max_bytes)) = (&mut rendered, rendering.max_bytes) {
        truncate(text, max_bytes);
    }
    Ok(rendered.to_string())
}
