//! Collects the values of one attribute over the documents of a segment and writes its column.
//!
//! Strings get provisional numbers as they come; ordinals, in value order, are given when the column
//! is written. Documents must come in ascending order.

use super::attribute_row::{FieldHead, RowReader};
use super::string_table::StringTable;
use super::{doc_list, ordinal_rows};

/// Sections of a column, in file order; see [`super::attribute_file`].
pub(crate) const N_SECTIONS: usize = 12;

/// Values of one field, growing document by document.
#[derive(Default)]
pub(crate) struct ColumnBuilder {
    exists: Vec<u32>,
    null: Vec<u32>,
    empty: Vec<u32>,
    /// Numbers as they came, and the document of each.
    numbers: Vec<f64>,
    number_docs: Vec<u32>,
    strings: StringTable,
    string_rows: Vec<(u32, u32)>,
}

impl ColumnBuilder {
    /// Adds all values of a document, which are next in `values`.
    pub(crate) fn push(&mut self, doc: u32, head: FieldHead, values: &mut RowReader<'_>) {
        self.exists.push(doc);
        if head.is_null {
            self.null.push(doc);
        }
        if head.is_empty {
            self.empty.push(doc);
        }
        for _ in 0..head.n_numbers {
            self.numbers.push(values.number());
            self.number_docs.push(doc);
        }
        for _ in 0..head.n_strings {
            let (hash, entry) = values.string();
            self.string_rows
                .push((doc, self.strings.number_of(hash, entry)));
        }
    }

    /// Bytes of memory in use, roughly.
    pub(crate) const fn mem_usage(&self) -> usize {
        4 * (self.exists.capacity() + self.null.capacity() + self.empty.capacity())
            + 12 * self.numbers.capacity()
            + 8 * self.string_rows.capacity()
            + self.strings.mem_usage()
    }

    /// Writes the column of a segment with `n_docs` documents.
    pub(crate) fn write(self, n_docs: u32, out: &mut Vec<u8>) {
        let mut sections: [Vec<u8>; N_SECTIONS] = Default::default();
        doc_list::put(&mut sections[0], &self.exists, n_docs);
        doc_list::put(&mut sections[1], &self.null, n_docs);
        doc_list::put(&mut sections[2], &self.empty, n_docs);

        let (n_numbers, ordinals) = sort_numbers(&self.numbers, &mut sections[3]);
        drop(self.numbers);
        let rows = self.number_docs.into_iter().zip(ordinals).collect();
        let rows = sorted_rows(rows);
        write_postings(n_numbers, &rows, &mut sections, 4);
        ordinal_rows::write(&rows, n_numbers as u32, n_docs, &mut sections[6]);

        let order = self.strings.in_order();
        sections[7].extend_from_slice(&0_u32.to_le_bytes());
        for id in &order {
            sections[8].extend_from_slice(self.strings.entry(*id));
            let end = sections[8].len() as u32;
            sections[7].extend_from_slice(&end.to_le_bytes());
        }
        drop(self.strings);
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

/// Writes each number once, ascending; gives how many these are, and for each of `numbers` its place
/// among them. Most are nearly all different, so that a table of those that were met would cost more
/// than to sort all.
fn sort_numbers(numbers: &[f64], out: &mut Vec<u8>) -> (usize, Vec<u32>) {
    let mut sorted: Vec<(f64, u32)> = numbers.iter().copied().zip(0..).collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut ordinals = vec![0; numbers.len()];
    let mut n_distinct = 0;
    for same in sorted.chunk_by(|(a, _), (b, _)| a.to_bits() == b.to_bits()) {
        out.extend_from_slice(&same[0].0.to_le_bytes());
        for (_, at) in same {
            ordinals[*at as usize] = n_distinct;
        }
        n_distinct += 1;
    }
    (n_distinct as usize, ordinals)
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
    sorted_rows(rows)
}

/// Rows in document order with the ordinals of each document ascending.
fn sorted_rows(mut rows: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let of_one_document = rows.chunk_by_mut(|(a, _), (b, _)| a == b);
    of_one_document.for_each(<[_]>::sort_unstable);
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
