//! Collects the values of one attribute over the documents of a segment and writes its column.
//!
//! Values get provisional numbers as they come and their final ordinals, in value order, when the
//! column is written. Documents must come in ascending order.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::attribute_row::{FieldValues, StringValue};
use super::{doc_list, ordinal_rows, varint};

/// Sections of a column, in file order; see [`super::attribute_file`].
pub(crate) const N_SECTIONS: usize = 12;

/// Strings that are found by their addresses: documents share those that come again and again.
const N_RECENT: usize = 8;

/// Values of one field, growing document by document.
#[derive(Default)]
pub(crate) struct ColumnBuilder {
    exists: Vec<u32>,
    null: Vec<u32>,
    empty: Vec<u32>,
    number_ids: FxHashMap<u64, u32>,
    numbers: Vec<f64>,
    number_rows: Vec<(u32, u32)>,
    string_ids: FxHashMap<Arc<StringValue>, u32>,
    /// Strings that came lately with their numbers, each at a place that its address gives.
    recent: [Option<(Arc<StringValue>, u32)>; N_RECENT],
    n_strings: u32,
    string_bytes: usize,
    string_rows: Vec<(u32, u32)>,
}

impl ColumnBuilder {
    /// Notes that `doc` has the field.
    pub(crate) fn push_presence(&mut self, doc: u32, is_null: bool, is_empty: bool) {
        self.exists.push(doc);
        if is_null {
            self.null.push(doc);
        }
        if is_empty {
            self.empty.push(doc);
        }
    }

    /// Adds all values of a document.
    pub(crate) fn push(&mut self, doc: u32, values: &FieldValues) {
        self.push_presence(doc, values.is_null, values.is_empty);
        for number in &values.numbers {
            let id = self.intern_number(*number);
            self.push_number(doc, id);
        }
        for string in &values.strings {
            let id = self.intern_string(string);
            self.push_string(doc, id);
        }
    }

    /// Provisional number of a number.
    fn intern_number(&mut self, number: f64) -> u32 {
        let next = self.numbers.len() as u32;
        let id = *self.number_ids.entry(number.to_bits()).or_insert(next);
        if id == next {
            self.numbers.push(number);
        }
        id
    }

    /// Provisional number of a string.
    fn intern_string(&mut self, string: &Arc<StringValue>) -> u32 {
        let place = Arc::as_ptr(string).addr() / size_of::<StringValue>() % N_RECENT;
        if let Some((recent, id)) = &self.recent[place]
            && Arc::ptr_eq(recent, string)
        {
            return *id;
        }
        let id = match self.string_ids.get(string) {
            Some(id) => *id,
            None => {
                let id = self.n_strings;
                self.string_ids.insert(Arc::clone(string), id);
                self.n_strings += 1;
                let original = string.original.as_deref().map_or(0, str::len);
                self.string_bytes += string.normalized.len() + original + 80;
                id
            }
        };
        self.recent[place] = Some((Arc::clone(string), id));
        id
    }

    /// Gives a document a number by its provisional number.
    fn push_number(&mut self, doc: u32, id: u32) {
        self.number_rows.push((doc, id));
    }

    /// Gives a document a string by its provisional number.
    fn push_string(&mut self, doc: u32, id: u32) {
        self.string_rows.push((doc, id));
    }

    /// Bytes of memory in use, roughly.
    pub(crate) fn mem_usage(&self) -> usize {
        4 * (self.exists.capacity() + self.null.capacity() + self.empty.capacity())
            + 8 * (self.number_rows.capacity() + self.string_rows.capacity())
            + 24 * self.numbers.capacity()
            + self.string_bytes
    }

    /// Writes the column of a segment with `n_docs` documents.
    pub(crate) fn write(self, n_docs: u32, out: &mut Vec<u8>) {
        let mut sections: [Vec<u8>; N_SECTIONS] = Default::default();
        doc_list::put(&mut sections[0], &self.exists, n_docs);
        doc_list::put(&mut sections[1], &self.null, n_docs);
        doc_list::put(&mut sections[2], &self.empty, n_docs);

        let mut numbers: Vec<(f64, u32)> = self.numbers.into_iter().zip(0..).collect();
        numbers.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        let order: Vec<u32> = numbers.iter().map(|(_, id)| *id).collect();
        for (number, _) in &numbers {
            sections[3].extend_from_slice(&number.to_le_bytes());
        }
        drop(numbers);
        let rows = by_ordinal(&order, self.number_rows);
        write_postings(order.len(), &rows, &mut sections, 4);
        ordinal_rows::write(&rows, order.len() as u32, n_docs, &mut sections[6]);

        let mut strings: Vec<(Arc<StringValue>, u32)> = self.string_ids.into_iter().collect();
        strings.sort_unstable();
        let order: Vec<u32> = strings.iter().map(|(_, id)| *id).collect();
        sections[7].extend_from_slice(&0_u32.to_le_bytes());
        for (string, _) in &strings {
            varint::put(&mut sections[8], string.normalized.len() as u64);
            sections[8].extend_from_slice(string.normalized.as_bytes());
            if let Some(original) = &string.original {
                sections[8].extend_from_slice(original.as_bytes());
            }
            let end = sections[8].len() as u32;
            sections[7].extend_from_slice(&end.to_le_bytes());
        }
        let rows = by_ordinal(&order, self.string_rows);
        write_postings(order.len(), &rows, &mut sections, 9);
        ordinal_rows::write(&rows, order.len() as u32, n_docs, &mut sections[11]);

        for section in &sections {
            out.extend_from_slice(&(section.len() as u32).to_le_bytes());
        }
        for section in &sections {
            out.extend_from_slice(section);
        }
    }
}

/// Replaces provisional numbers by their places in `order`; rows stay in document order, the
/// ordinals of one document ascend.
fn by_ordinal(order: &[u32], mut rows: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut ordinals = vec![0; order.len()];
    for (ordinal, id) in order.iter().enumerate() {
        ordinals[*id as usize] = ordinal as u32;
    }
    for (_, id) in &mut rows {
        *id = ordinals[*id as usize];
    }
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Writes ends of posting lists into section `at` and the lists into the one after it.
fn write_postings(
    n_values: usize,
    rows: &[(u32, u32)],
    sections: &mut [Vec<u8>; N_SECTIONS],
    at: usize,
) {
    let mut starts = vec![0_usize; n_values + 1];
    for (_, ordinal) in rows {
        starts[*ordinal as usize + 1] += 1;
    }
    for index in 0..n_values {
        starts[index + 1] += starts[index];
    }
    let mut docs = vec![0; rows.len()];
    let mut next = starts.clone();
    for (doc, ordinal) in rows {
        docs[next[*ordinal as usize]] = *doc;
        next[*ordinal as usize] += 1;
    }
    sections[at].extend_from_slice(&0_u32.to_le_bytes());
    for ordinal in 0..n_values {
        doc_list::put_deltas(
            &mut sections[at + 1],
            &docs[starts[ordinal]..starts[ordinal + 1]],
        );
        let end = sections[at + 1].len() as u32;
        sections[at].extend_from_slice(&end.to_le_bytes());
    }
}
