//! Makes one column of those of several segments, value by value.
//!
//! Values are sorted in every column, so that their union is read off the heads of all columns, and
//! each gets its place and its documents in one go. Rows are then copied with the places replaced.
//!
//! # Cost
//! Four bytes of memory for each value of each column, a few bits for each document; sections wait
//! in files ([`super::spool`]).

use std::cmp::Ordering;
use std::io::{self, Write};
use std::path::Path;

use super::column_builder::N_SECTIONS;
use super::column_reader::ColumnReader;
use super::doc_list::{self, DocBits};
use super::ordinal_rows::{self, OrdinalRows, RowShape};
use super::spool::Spool;

/// Stands for a document or a value that is not taken over.
pub(crate) const GONE: u32 = u32::MAX;

/// What becomes of the documents of a part.
pub(crate) enum NewIds {
    /// They keep their numbers.
    Same,
    /// For each the new number or [`GONE`].
    Listed(Vec<u32>),
}

impl NewIds {
    pub(super) fn get(&self, local: u32) -> Option<u32> {
        match self {
            Self::Same => Some(local),
            Self::Listed(ids) => ids.get(local as usize).copied().filter(|id| *id != GONE),
        }
    }
}

/// A column with what becomes of its documents; new numbers ascend within a column and from one
/// column to the next.
pub(super) struct ColumnPart<'p> {
    pub(super) column: &'p ColumnReader,
    pub(super) new_ids: &'p NewIds,
}

impl ColumnPart<'_> {
    fn new_id(&self, local: u32) -> Option<u32> {
        self.new_ids.get(local)
    }
}

/// Writes the column of `n_docs` documents that the parts make together, and says how many bytes
/// it takes; nothing when no document has the attribute.
///
/// # Errors
/// When files cannot be written, or a section exceeds 4 GiB.
pub(super) fn merge_columns(
    parts: &[ColumnPart<'_>],
    n_docs: u32,
    folder: &Path,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let mut sections: [Spool; N_SECTIONS] = std::array::from_fn(|_| Spool::new(folder));
    let exists = marked(parts, n_docs, |column, each| column.for_each_existing(each));
    if exists.len() == 0 {
        return Ok(0);
    }
    exists.write(&mut sections[0])?;
    marked(parts, n_docs, |column, each| column.for_each_null(each)).write(&mut sections[1])?;
    marked(parts, n_docs, |column, each| column.for_each_empty(each)).write(&mut sections[2])?;
    let [_, _, _, numbers, ends, lists, rows, ..] = &mut sections;
    merge_values(
        &NUMBERS,
        parts,
        n_docs,
        [ends, lists, rows],
        &mut |column, ordinal| numbers.write_all(&column.number(ordinal).to_le_bytes()),
    )?;
    let [.., string_ends, strings, ends, lists, rows] = &mut sections;
    string_ends.write_all(&0_u32.to_le_bytes())?;
    merge_values(
        &STRINGS,
        parts,
        n_docs,
        [ends, lists, rows],
        &mut |column, ordinal| {
            strings.write_all(column.string_entry(ordinal))?;
            string_ends.write_all(&short(strings.len())?.to_le_bytes())
        },
    )?;
    let mut n_bytes = 0;
    for section in &sections {
        out.write_all(&short(section.len())?.to_le_bytes())?;
        n_bytes += 4 + section.len();
    }
    for section in sections {
        section.copy_to(out)?;
    }
    Ok(n_bytes)
}

/// The new numbers of documents for which columns say something.
fn marked(
    parts: &[ColumnPart<'_>],
    n_docs: u32,
    walk: impl Fn(&ColumnReader, &mut dyn FnMut(u32)),
) -> DocBits {
    let mut docs = DocBits::new(n_docs);
    for part in parts {
        walk(part.column, &mut |local| {
            if let Some(doc) = part.new_id(local) {
                docs.insert(doc);
            }
        });
    }
    docs
}

fn short(len: u64) -> io::Result<u32> {
    u32::try_from(len).map_err(|_| io::Error::other("a section of a column exceeds 4 GiB"))
}

/// One of the two kinds of values of a column.
struct Values {
    count: fn(&ColumnReader) -> u32,
    order: fn((&ColumnReader, u32), (&ColumnReader, u32)) -> Ordering,
    docs: fn(&ColumnReader, u32, &mut dyn FnMut(u32)),
    rows: fn(&ColumnReader) -> &OrdinalRows,
}

const NUMBERS: Values = Values {
    count: ColumnReader::n_numbers,
    order: |(a, i), (b, j)| a.number(i).total_cmp(&b.number(j)),
    docs: |column, ordinal, each| column.for_each_number_doc(ordinal..ordinal + 1, each),
    rows: |column| &column.number_rows,
};

const STRINGS: Values = Values {
    count: ColumnReader::n_strings,
    order: |(a, i), (b, j)| a.string_parts(i).cmp(&b.string_parts(j)),
    docs: |column, ordinal, each| column.for_each_string_doc(ordinal..ordinal + 1, each),
    rows: |column| &column.string_rows,
};

/// Writes the values that living documents have, with their posting lists, and then the rows.
fn merge_values(
    values: &Values,
    parts: &[ColumnPart<'_>],
    n_docs: u32,
    [ends, lists, rows]: [&mut Spool; 3],
    put: &mut dyn FnMut(&ColumnReader, u32) -> io::Result<()>,
) -> io::Result<()> {
    let mut heads = vec![0_u32; parts.len()];
    let mut places: Vec<Vec<u32>> = parts
        .iter()
        .map(|part| vec![GONE; (values.count)(part.column) as usize])
        .collect();
    let mut shape = RowShape::new(n_docs);
    let mut docs: Vec<u32> = Vec::new();
    let mut list: Vec<u8> = Vec::new();
    ends.write_all(&0_u32.to_le_bytes())?;
    while let Some(least) = least_head(values, parts, &heads) {
        docs.clear();
        let value = (parts[least].column, heads[least]);
        for (index, part) in parts.iter().enumerate().skip(least) {
            let head = heads[index];
            let is_at_end = head >= (values.count)(part.column);
            if is_at_end || (values.order)(value, (part.column, head)).is_ne() {
                continue;
            }
            heads[index] += 1;
            places[index][head as usize] = shape.n_ordinals;
            (values.docs)(part.column, head, &mut |local| {
                docs.extend(part.new_id(local))
            });
        }
        if !docs.is_sorted() {
            return Err(damaged("the documents of a value do not ascend"));
        }
        // A value that no living document has takes no place; no row asks for it.
        if docs.is_empty() {
            continue;
        }
        put(value.0, value.1)?;
        shape.count(&docs);
        list.clear();
        doc_list::put_deltas(&mut list, &docs);
        lists.write_all(&list)?;
        ends.write_all(&short(lists.len())?.to_le_bytes())?;
    }
    let walk = |each: &mut dyn FnMut(u32, u32) -> io::Result<()>| -> io::Result<()> {
        let mut order = RowOrder::default();
        for (part, places) in parts.iter().zip(&places) {
            let source = (values.rows)(part.column);
            let mut walked = Ok(());
            part.column.for_each_existing(|local| {
                let Some(doc) = part.new_id(local).filter(|_| walked.is_ok()) else {
                    return;
                };
                source.for_each(local, |ordinal| {
                    let place = places.get(ordinal as usize).copied();
                    if let (Some(place), true) = (place, walked.is_ok()) {
                        walked = order.check(doc).and_then(|()| each(doc, place));
                    }
                });
            });
            walked?;
        }
        order.end(&shape)
    };
    ordinal_rows::write_walked(&walk, &shape, rows)
}

fn damaged(what: &str) -> io::Error {
    let message = format!("the attribute file is damaged: {what}");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Sees to it that rows are those of the values: the tables in front of them are made from these.
#[derive(Default)]
struct RowOrder {
    last: Option<u32>,
    n_docs: u32,
    n_rows: u32,
}

impl RowOrder {
    fn check(&mut self, doc: u32) -> io::Result<()> {
        if self.last.is_some_and(|last| last > doc) {
            return Err(damaged("its documents do not ascend"));
        }
        self.n_docs += u32::from(self.last != Some(doc));
        self.n_rows += 1;
        self.last = Some(doc);
        Ok(())
    }

    fn end(self, shape: &RowShape) -> io::Result<()> {
        if (self.n_docs, self.n_rows) != shape.n_docs_and_rows() {
            return Err(damaged("its rows do not have the values of its documents"));
        }
        Ok(())
    }
}

/// The first part whose next value is the least.
fn least_head(values: &Values, parts: &[ColumnPart<'_>], heads: &[u32]) -> Option<usize> {
    let mut least: Option<usize> = None;
    for (index, part) in parts.iter().enumerate() {
        if heads[index] >= (values.count)(part.column) {
            continue;
        }
        let is_less = least.is_none_or(|other| {
            let other = (parts[other].column, heads[other]);
            (values.order)((part.column, heads[index]), other).is_lt()
        });
        if is_less {
            least = Some(index);
        }
    }
    least
}
