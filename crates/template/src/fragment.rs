//! JSON whose strings are templates.

use serde_json::{Map, Value};

use crate::template::{Globals, Template, TemplateError};

/// A parsed fragment.
#[derive(Debug)]
pub enum Fragment {
    /// A value that is rendered to itself.
    Plain(Value),
    /// A string.
    Text(Template),
    /// An array.
    List(Vec<Fragment>),
    /// An object; its names are no templates.
    Object(Vec<(String, Fragment)>),
}

impl Fragment {
    /// Reads the templates in a JSON value.
    ///
    /// # Errors
    /// When a string is no template.
    pub fn parse(value: &Value) -> Result<Self, TemplateError> {
        Ok(match value {
            Value::String(text) => Self::Text(Template::parse(text)?),
            Value::Array(items) => {
                Self::List(items.iter().map(Self::parse).collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let parse = |(name, value): (&String, &Value)| {
                    Ok::<_, TemplateError>((name.clone(), Self::parse(value)?))
                };
                Self::Object(members.iter().map(parse).collect::<Result<_, _>>()?)
            }
            plain => Self::Plain(plain.clone()),
        })
    }

    /// The value with all its strings rendered.
    ///
    /// # Errors
    /// When one of the templates cannot be rendered.
    pub fn render(&self, globals: &Globals) -> Result<Value, TemplateError> {
        Ok(match self {
            Self::Plain(value) => value.clone(),
            Self::Text(template) => Value::String(template.render(globals)?),
            Self::List(items) => {
                let items = items.iter().map(|item| item.render(globals));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Self::Object(members) => {
                let mut rendered = Map::new();
                for (name, member) in members {
                    rendered.insert(name.clone(), member.render(globals)?);
                }
                Value::Object(rendered)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn strings_are_rendered_wherever_they_are_and_other_values_stay() {
        let fragment = json!({"text": "a {{q}}", "parts": [{"url": "{{media.url}}"}, 3, null]});
        let query = json!({"q": "cat", "media": {"url": "u"}});
        let globals = Globals::query(query.as_object().expect("an object"));
        let rendered = Fragment::parse(&fragment).and_then(|parsed| parsed.render(&globals));
        assert_eq!(
            rendered,
            Ok(json!({"text": "a cat", "parts": [{"url": "u"}, 3, null]}))
        );
    }

    #[test]
    fn a_query_without_media_does_not_render_what_uses_it() {
        let query = json!({"q": "cat", "media": null});
        let globals = Globals::query(query.as_object().expect("an object"));
        let fragment = Fragment::parse(&json!({"image": "{{media.url}}"})).expect("parsed");
        assert!(fragment.render(&globals).is_err());
    }
}
