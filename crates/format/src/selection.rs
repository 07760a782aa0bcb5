//! Which attributes of a document are shown.
//!
//! A selection names dotted paths. A path keeps the value it names with everything below it;
//! above it, objects and array elements are kept only if something in them is kept.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

/// Attributes to keep of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The whole document.
    All,
    /// These paths only; an empty list keeps nothing.
    Only(Vec<String>),
}

/// How much of a value a selection keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    Whole,
    Partly,
    Nothing,
}

impl Selection {
    /// A selection of these paths; `*` among them selects everything.
    pub fn of(paths: &[String]) -> Self {
        match paths.iter().any(|path| path == "*") {
            true => Self::All,
            false => Self::Only(paths.to_vec()),
        }
    }

    /// The paths that both select. A path is the same only by the same name: `a` and `a.b` have
    /// nothing in common.
    pub fn intersect(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, other) => other.clone(),
            (own, Self::All) => own.clone(),
            (Self::Only(own), Self::Only(others)) => {
                let others: FxHashSet<&String> = others.iter().collect();
                Self::Only(
                    own.iter()
                        .filter(|path| others.contains(path))
                        .cloned()
                        .collect(),
                )
            }
        }
    }

    /// Whether it keeps something at a path, of what it lies in or of what lies in it.
    pub fn reaches(&self, path: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(paths) => paths
                .iter()
                .any(|kept| is_within(kept, path) || is_within(path, kept)),
        }
    }

    pub(crate) fn kept(&self, path: &str) -> Kept {
        match self {
            Self::All => Kept::Whole,
            Self::Only(paths) if paths.iter().any(|wanted| wanted == path) => Kept::Whole,
            Self::Only(paths) if paths.iter().any(|wanted| is_within(wanted, path)) => Kept::Partly,
            Self::Only(_) => Kept::Nothing,
        }
    }
}

/// The attributes of a hit: what the request wants (`None`: everything) of what the index shows.
pub fn retrieved_attributes(displayed: &Selection, wanted: Option<&[String]>) -> Selection {
    let wanted = wanted.map_or(Selection::All, Selection::of);
    wanted.intersect(displayed)
}

/// True if `path` is `ancestor` or lies below it.
pub(crate) fn is_within(path: &str, ancestor: &str) -> bool {
    path.strip_prefix(ancestor)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Writes the members of `document` that `selection` keeps as a JSON object, in document order.
pub fn write_selected(document: &Map<String, Value>, selection: &Selection, out: &mut Vec<u8>) {
    write_kept(document, selection, out, &mut |_, value, out| {
        write_json(value, out)
    });
}

/// Writes kept members, each leaf by `write_leaf(path, leaf, out)`; leaves are what is neither
/// object nor array.
pub(crate) fn write_kept(
    document: &Map<String, Value>,
    selection: &Selection,
    out: &mut Vec<u8>,
    write_leaf: &mut dyn FnMut(&str, &Value, &mut Vec<u8>),
) {
    let mut writer = Writer {
        selection,
        path: String::new(),
        out,
        write_leaf,
    };
    writer.object(document, Kept::Partly);
}

pub(crate) fn write_json(value: &Value, out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).expect("invariant: a JSON value always serialises");
}

pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("invariant: a string always serialises");
}

struct Writer<'a> {
    selection: &'a Selection,
    path: String,
    out: &'a mut Vec<u8>,
    write_leaf: &'a mut dyn FnMut(&str, &Value, &mut Vec<u8>),
}

impl Writer<'_> {
    /// Writes an object and says whether anything of it was kept.
    fn object(&mut self, object: &Map<String, Value>, kept: Kept) -> bool {
        self.out.push(b'{');
        let mut any = false;
        for (key, value) in object {
            let parent_len = self.path.len();
            if parent_len > 0 {
                self.path.push('.');
            }
            self.path.push_str(key);
            any |= self.member(key, value, kept, any);
            self.path.truncate(parent_len);
        }
        self.out.push(b'}');
        any
    }

    fn member(&mut self, key: &str, value: &Value, parent: Kept, comma: bool) -> bool {
        let kept = match parent {
            Kept::Whole => Kept::Whole,
            _ => self.selection.kept(&self.path),
        };
        let start = self.out.len();
        if comma {
            self.out.push(b',');
        }
        write_string(key, self.out);
        self.out.push(b':');
        let any = self.value(value, kept);
        if !any {
            self.out.truncate(start);
        }
        any
    }

    fn array(&mut self, array: &[Value], kept: Kept) -> bool {
        self.out.push(b'[');
        let mut any = false;
        for value in array {
            let start = self.out.len();
            if any {
                self.out.push(b',');
            }
            if self.value(value, kept) {
                any = true;
            } else {
                self.out.truncate(start);
            }
        }
        self.out.push(b']');
        any
    }

    fn value(&mut self, value: &Value, kept: Kept) -> bool {
        match (value, kept) {
            (_, Kept::Nothing) => false,
            (Value::Object(object), _) => self.object(object, kept) || kept == Kept::Whole,
            (Value::Array(array), _) => self.array(array, kept) || kept == Kept::Whole,
            (_, Kept::Partly) => false,
            (leaf, Kept::Whole) => {
                (self.write_leaf)(&self.path, leaf, self.out);
                true
            }
        }
    }
}
