//! JSON as values of scripts, and back.
//!
//! Going back, the value before is at hand: its objects give the order of keys, which scripts do
//! not keep.

use rhai::{Array, Blob, Dynamic, ImmutableString, Map};
use serde_json::Value;

use crate::document::raw_document::write_string;

/// Levels of arrays and objects in a member of a document at the most.
const MAX_LEVELS: usize = 120;

/// A value as scripts see it. Integers beyond 64 bits become floating point numbers.
pub(super) fn to_script(value: &Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(values) => {
            Dynamic::from_array(values.iter().map(to_script).collect::<Array>())
        }
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(key, value)| (key.as_str().into(), to_script(value)));
            Dynamic::from_map(members.collect::<Map>())
        }
    }
}

/// Whether a script left a value as it was.
pub(super) fn is_same(new: &Dynamic, old: &Value) -> bool {
    match old {
        Value::Null => new.is_unit(),
        Value::Bool(flag) => new.as_bool() == Ok(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => new.as_int() == Ok(integer),
            None => new
                .as_float()
                .is_ok_and(|new| Some(new.to_bits()) == number.as_f64().map(f64::to_bits)),
        },
        Value::String(text) => new
            .read_lock::<ImmutableString>()
            .is_some_and(|new| new.as_str() == text),
        Value::Array(values) => new.read_lock::<Array>().is_some_and(|new| {
            let mut pairs = new.iter().zip(values);
            new.len() == values.len() && pairs.all(|(new, old)| is_same(new, old))
        }),
        Value::Object(members) => new.read_lock::<Map>().is_some_and(|new| {
            let is_kept = |(key, old)| {
                new.get(String::as_str(key))
                    .is_some_and(|n| is_same(n, old))
            };
            new.len() == members.len() && members.iter().all(is_kept)
        }),
    }
}

/// Appends a value as JSON; `old` is what it was made of.
///
/// # Errors
/// What is wrong with a value that JSON cannot hold.
pub(super) fn write(new: &Dynamic, old: Option<&Value>, out: &mut Vec<u8>) -> Result<(), String> {
    write_nested(new, old, MAX_LEVELS, out)
}

fn write_nested(
    new: &Dynamic,
    old: Option<&Value>,
    levels: usize,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    if let Some(values) = new.read_lock::<Array>() {
        let levels = inner(levels)?;
        let old = old.and_then(Value::as_array);
        return write_list(out, values.iter().enumerate(), |out, (place, value)| {
            let old = old.and_then(|old| old.get(place));
            write_nested(value, old, levels, out)
        });
    }
    if let Some(members) = new.read_lock::<Map>() {
        return write_members(&members, old, inner(levels)?, out);
    }
    if let Some(bytes) = new.read_lock::<Blob>() {
        return write_list(out, bytes.iter(), |out, byte| {
            out.extend_from_slice(byte.to_string().as_bytes());
            Ok(())
        });
    }
    write_scalar(new, out)
}

fn inner(levels: usize) -> Result<usize, String> {
    let inner = levels.checked_sub(1);
    inner.ok_or_else(|| format!("a value is nested in more than {MAX_LEVELS} levels"))
}

fn write_members(
    members: &Map,
    old: Option<&Value>,
    levels: usize,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    out.push(b'{');
    let before = old.and_then(Value::as_object);
    let kept = before.into_iter().flat_map(|before| {
        let member =
            |(key, old)| Some((String::as_str(key), members.get(key.as_str())?, Some(old)));
        before.iter().filter_map(member)
    });
    let is_new = |key: &str| !before.is_some_and(|before| before.contains_key(key));
    let added = members.iter().filter(|(key, _)| is_new(key));
    let added = added.map(|(key, value)| (key.as_str(), value, None));
    for (number, (key, value, old)) in kept.chain(added).enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write_string(key, out);
        out.push(b':');
        write_nested(value, old, levels, out)?;
    }
    out.push(b'}');
    Ok(())
}

fn write_list<T>(
    out: &mut Vec<u8>,
    values: impl Iterator<Item = T>,
    mut write_one: impl FnMut(&mut Vec<u8>, T) -> Result<(), String>,
) -> Result<(), String> {
    out.push(b'[');
    for (number, value) in values.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write_one(out, value)?;
    }
    out.push(b']');
    Ok(())
}

fn write_scalar(new: &Dynamic, out: &mut Vec<u8>) -> Result<(), String> {
    let scalar = if new.is_unit() {
        Value::Null
    } else if let Ok(flag) = new.as_bool() {
        flag.into()
    } else if let Ok(integer) = new.as_int() {
        integer.into()
    } else if let Ok(float) = new.as_float() {
        // Null for what JSON has no number for.
        float.into()
    } else if let Some(text) = new.read_lock::<ImmutableString>() {
        write_string(&text, out);
        return Ok(());
    } else if let Ok(character) = new.as_char() {
        character.to_string().into()
    } else {
        let kind = new.type_name();
        return Err(format!(
            "a value of type `{kind}` cannot be part of a document"
        ));
    };
    out.extend_from_slice(scalar.to_string().as_bytes());
    Ok(())
}
