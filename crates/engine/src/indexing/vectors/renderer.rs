//! Makes the texts of documents that are embedded.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::settings::IndexSettings;
use crate::vectors::{DocumentTemplate, DocumentTemplates, Embedder, TemplateField};

/// The fields that templates see; grows with the documents.
pub(crate) struct TemplateFields {
    fields: Vec<TemplateField>,
    known: HashSet<String>,
}

impl TemplateFields {
    /// The fields an index has.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str>, settings: &IndexSettings) -> Self {
        let mut fields = Self {
            fields: Vec::new(),
            known: HashSet::new(),
        };
        names.for_each(|name| fields.add(name, settings));
        fields
    }

    /// Adds the fields of a document.
    pub(crate) fn add_all(&mut self, document: &Map<String, Value>, settings: &IndexSettings) {
        self.walk("", document, settings);
    }

    fn walk(&mut self, lead: &str, object: &Map<String, Value>, settings: &IndexSettings) {
        for (name, value) in object {
            let path = format!("{lead}{name}");
            self.add(&path, settings);
            if let Value::Object(inner) = value {
                self.walk(&format!("{path}."), inner, settings);
            }
        }
    }

    fn add(&mut self, name: &str, settings: &IndexSettings) {
        if self.known.insert(name.to_owned()) {
            self.fields.push(TemplateField {
                name: name.to_owned(),
                is_searchable: settings.searchable_weight(name).is_some(),
            });
        }
    }
}

/// The parsed templates of one embedder.
pub(crate) struct Renderer {
    kind: Kind,
    max_bytes: usize,
}

enum Kind {
    Template(Box<dyn DocumentTemplate>),
    Fragments(Vec<Fragment>),
}

/// JSON whose strings are templates.
enum Fragment {
    Plain(Value),
    Text(Box<dyn DocumentTemplate>),
    List(Vec<Fragment>),
    Object(Vec<(String, Fragment)>),
}

impl Renderer {
    /// Parses what an embedder renders documents with.
    ///
    /// # Errors
    /// The message of a template that is none.
    pub(crate) fn new(
        embedder: &Embedder,
        templates: &dyn DocumentTemplates,
    ) -> Result<Self, String> {
        let fragments = embedder.fragments();
        let kind = if fragments.is_empty() {
            Kind::Template(templates.parse(embedder.template())?)
        } else {
            let parsed = fragments
                .iter()
                .map(|(_, value)| Fragment::parse(value, templates));
            Kind::Fragments(parsed.collect::<Result<_, _>>()?)
        };
        Ok(Self {
            kind,
            max_bytes: embedder.max_bytes(),
        })
    }

    /// The texts of a document: one of a template; of fragments one for each that can be rendered.
    ///
    /// # Errors
    /// The message of a template that cannot be rendered for this document.
    pub(crate) fn texts(
        &self,
        document: &Value,
        fields: &TemplateFields,
    ) -> Result<Vec<String>, String> {
        let fields = &fields.fields;
        match &self.kind {
            Kind::Template(template) => {
                let mut text = template.render(document, fields)?;
                let mut end = self.max_bytes.min(text.len());
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                text.truncate(end);
                Ok(vec![text])
            }
            Kind::Fragments(fragments) => Ok(fragments
                .iter()
                .filter_map(|fragment| fragment.render(document, fields).ok())
                .map(|rendered| rendered.to_string())
                .collect()),
        }
    }
}

impl Fragment {
    fn parse(value: &Value, templates: &dyn DocumentTemplates) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Self::Text(templates.parse(text)?),
            Value::Array(items) => {
                let parsed = items.iter().map(|item| Self::parse(item, templates));
                Self::List(parsed.collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let parse = |(name, value): (&String, &Value)| {
                    Ok::<_, String>((name.clone(), Self::parse(value, templates)?))
                };
                Self::Object(members.iter().map(parse).collect::<Result<_, _>>()?)
            }
            plain => Self::Plain(plain.clone()),
        })
    }

    fn render(&self, document: &Value, fields: &[TemplateField]) -> Result<Value, String> {
        Ok(match self {
            Self::Plain(value) => value.clone(),
            Self::Text(template) => Value::String(template.render(document, fields)?),
            Self::List(items) => {
                let rendered = items.iter().map(|item| item.render(document, fields));
                Value::Array(rendered.collect::<Result<_, _>>()?)
            }
            Self::Object(members) => {
                let render = |(name, member): &(String, Self)| {
                    Ok::<_, String>((name.clone(), member.render(document, fields)?))
                };
                Value::Object(members.iter().map(render).collect::<Result<_, _>>()?)
            }
        })
    }
}
