//! JSON as templates see it.
//!
//! # Invariants
//! The members of an object come in byte order of their names, until the template language copies
//! it.
//!
//! # Cost
//! A copy of the value.

use std::collections::BTreeMap;
use std::fmt;

use liquid_core::model::{
    ArrayView, DisplayCow, KStringCow, ObjectView, ScalarCow, State, Value as Plain, ValueView,
};
use serde_json::{Map, Number, Value};

/// A value of a template.
#[derive(Debug)]
pub(crate) enum Node {
    Plain(Plain),
    List(Vec<Node>),
    Object(Members),
}

/// Members by name.
pub(crate) type Members = BTreeMap<String, Node>;

impl Node {
    pub(crate) const NIL: Self = Self::Plain(Plain::Nil);

    fn view(&self) -> &dyn ValueView {
        match self {
            Self::Plain(value) => value,
            Self::List(items) => items,
            Self::Object(members) => members,
        }
    }
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::NIL,
            Value::Bool(flag) => Self::Plain(Plain::scalar(*flag)),
            Value::Number(number) => Self::Plain(number_of(number)),
            Value::String(text) => Self::Plain(Plain::scalar(text.clone())),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(members_of(members)),
        }
    }
}

/// The members of a JSON object.
pub(crate) fn members_of(members: &Map<String, Value>) -> Members {
    let members = members.iter();
    members
        .map(|(name, value)| (name.clone(), Node::from(value)))
        .collect()
}

fn number_of(number: &Number) -> Plain {
    match number.as_i64() {
        Some(whole) => Plain::scalar(whole),
        None => Plain::scalar(number.as_f64().unwrap_or(f64::NAN)),
    }
}

impl ValueView for Node {
    fn as_debug(&self) -> &dyn fmt::Debug {
        self
    }

    fn render(&self) -> DisplayCow<'_> {
        self.view().render()
    }

    fn source(&self) -> DisplayCow<'_> {
        self.view().source()
    }

    fn type_name(&self) -> &'static str {
        self.view().type_name()
    }

    fn query_state(&self, state: State) -> bool {
        self.view().query_state(state)
    }

    fn to_kstr(&self) -> KStringCow<'_> {
        self.view().to_kstr()
    }

    fn to_value(&self) -> Plain {
        self.view().to_value()
    }

    fn as_scalar(&self) -> Option<ScalarCow<'_>> {
        self.view().as_scalar()
    }

    fn as_array(&self) -> Option<&dyn ArrayView> {
        self.view().as_array()
    }

    fn as_object(&self) -> Option<&dyn ObjectView> {
        self.view().as_object()
    }

    fn as_state(&self) -> Option<State> {
        self.view().as_state()
    }

    fn is_nil(&self) -> bool {
        self.view().is_nil()
    }
}
