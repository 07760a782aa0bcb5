//! One template, parsed, and what it is rendered with.

use std::sync::LazyLock;

use liquid_core::parser::parse;
use liquid_core::runtime::RuntimeBuilder;
use liquid_core::{Language, Renderable, Runtime, ValueView};
use serde_json::{Map, Value};

use crate::bounds::{BoundedText, check_levels, check_ranges};
use crate::language::language;
use crate::node::{Members, Node, members_of};
use crate::work::{Counted, Work};

static LANGUAGE: LazyLock<Language> = LazyLock::new(language);

/// Why a template is none, or cannot be rendered; the place is shown where it is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The text is no template.
    #[error("cannot parse template: {0}")]
    Parse(String),
    /// A value is missing, or of a kind that a filter does not take.
    #[error("{0}")]
    Render(String),
}

/// A field of the index as templates see it.
#[derive(Clone, Copy, Debug)]
pub struct Field<'f> {
    /// Dotted name.
    pub name: &'f str,
    /// Whether its words are searched.
    pub is_searchable: bool,
}

/// What a template is rendered with.
#[derive(Debug)]
pub struct Globals(Members);

impl Globals {
    /// A document, with the fields of its index.
    #[must_use]
    pub fn document<'f>(document: &Value, fields: impl Iterator<Item = Field<'f>>) -> Self {
        let listed = fields.map(|field| {
            let value = value_at(document, field.name).map_or(Node::NIL, field_value);
            Node::Object(Members::from([
                ("name".to_owned(), Node::from(&Value::from(field.name))),
                ("value".to_owned(), value),
                (
                    "is_searchable".to_owned(),
                    Node::from(&Value::from(field.is_searchable)),
                ),
            ]))
        });
        Self(Members::from([
            ("fields".to_owned(), Node::List(listed.collect())),
            ("doc".to_owned(), Node::from(document)),
        ]))
    }

    /// The members of a query: `q`, `media`. Those that are null are missing.
    #[must_use]
    pub fn query(query: &Map<String, Value>) -> Self {
        let mut members = members_of(query);
        members.retain(|name, _| query.get(name).is_some_and(|value| !value.is_null()));
        Self(members)
    }
}

/// A parsed template.
pub struct Template {
    inner: liquid_core::Template,
}

impl std::fmt::Debug for Template {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Template").finish_non_exhaustive()
    }
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// When the text is none.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        check_levels(text)?;
        check_ranges(text)?;
        match parse(text, &LANGUAGE) {
            Ok(parts) => Ok(Self {
                inner: liquid_core::Template::new(parts),
            }),
            Err(error) => Err(TemplateError::Parse(error.to_string())),
        }
    }

    /// The text of a document or a query.
    ///
    /// # Errors
    /// When the template uses a value that is missing, or of the wrong kind, takes too many steps,
    /// or makes a text that is too long.
    pub fn render(&self, globals: &Globals) -> Result<String, TemplateError> {
        let mut text = BoundedText::default();
        let runtime = RuntimeBuilder::new().set_globals(&globals.0).build();
        let counted = Counted {
            inner: &runtime,
            is_outermost: true,
        };
        let rendered = self.inner.render_to(&mut text, &counted);
        // A rendering whose steps are spent may just end.
        let spent = runtime.registers().get_mut::<Work>().refusal();
        match (spent.or_else(|| text.refusal()), rendered) {
            (Some(refusal), _) => Err(TemplateError::Render(refusal)),
            (None, Err(error)) => Err(TemplateError::Render(error.to_string())),
            (None, Ok(())) => Ok(String::from_utf8_lossy(&text.bytes).into_owned()),
        }
    }
}

/// Cuts a text to so many bytes at the most, between two characters.
pub fn truncate(text: &mut String, max_bytes: usize) {
    let mut end = max_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
}

/// The value of a field. One with objects is its text, because objects that a template writes out
/// come in any order.
fn field_value(value: &Value) -> Node {
    let node = Node::from(value);
    if has_object(value) {
        return Node::from(&Value::String(node.render().to_string()));
    }
    node
}

fn has_object(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(has_object),
        _ => false,
    }
}

/// The value under a dotted name; a member whose own name has dots wins.
fn value_at<'d>(value: &'d Value, name: &str) -> Option<&'d Value> {
    if let Some(value) = value.get(name) {
        return Some(value);
    }
    let mut dots = name.match_indices('.');
    dots.find_map(|(at, _)| value_at(value.get(&name[..at])?, &name[at + 1..]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rendered(template: &str, document: Value) -> Result<String, TemplateError> {
        let names = ["id", "title", "author.name", "secret"].into_iter();
        let fields = names.map(|name| Field {
            name,
            is_searchable: name != "secret",
        });
        Template::parse(template)?.render(&Globals::document(&document, fields))
    }

    #[test]
    fn a_template_reaches_into_the_document() {
        let document = json!({"title": "Alien", "author": {"name": "Dan"}, "years": [1979, 1986]});
        assert_eq!(
            rendered(
                "{{doc.title}} by {{doc.author.name}}, {{doc.years[1]}}",
                document
            ),
            Ok("Alien by Dan, 1986".to_owned())
        );
    }

    #[test]
    fn filters_loops_and_conditions_work() {
        let document = json!({"title": "Alien", "tags": ["b", "a"]});
        let template = "{{doc.title | upcase}}{% for tag in doc.tags %} {{tag}}{% endfor %}\
                        {% if doc.missing %}never{% else %}!{% endif %}";
        assert_eq!(rendered(template, document), Ok("ALIEN b a!".to_owned()));
    }

    #[test]
    fn fields_are_all_fields_of_the_index_with_nil_where_the_document_has_none() {
        let template = "{% for field in fields %}{% if field.is_searchable and \
                        field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}\
                        {% endfor %}";
        let document = json!({"title": "Alien", "author": {"name": "Dan"}, "secret": "x"});
        assert_eq!(
            rendered(template, document),
            Ok("title: Alien\nauthor.name: Dan\n".to_owned())
        );
    }

    #[test]
    fn a_missing_value_is_an_error_that_names_it() {
        let error = rendered("{{doc.nothing}}", json!({"title": "x"})).expect_err("refused");
        assert!(error.to_string().contains("nothing"), "{error}");
    }

    #[test]
    fn a_text_that_is_no_template_shows_where() {
        let error = Template::parse("{{ doc.title").expect_err("refused");
        assert_eq!(
            error.to_string(),
            "cannot parse template: liquid:  --> 1:4\n  |\n1 | {{ doc.title\n  |    ^---\n  |\n  \
             = expected Literal\n"
        );
    }

    #[test]
    fn a_field_with_objects_is_rendered_the_same_way_each_time() {
        let template = "{% for field in fields %}{{field.value}}{% endfor %}";
        let text = |members: Value| rendered(template, json!({ "title": [members] }));
        let one = text(json!({"b": 1, "a": 2, "d": 3, "c": 4}));
        assert_eq!(one, text(json!({"a": 2, "c": 4, "b": 1, "d": 3})));
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        let mut text = "aéz".to_owned();
        truncate(&mut text, 2);
        assert_eq!(text, "a");
    }
}
