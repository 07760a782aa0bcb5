//! Makes one `attr` file of several, without ever holding a column in memory.
//!
//! # Invariants
//! 1. What is written holds exactly the values of the documents that are taken over.
//! 2. It is what a builder would have written of the same documents.
//!
//! # Cost
//! See [`super::column_merge`]; points and shapes are copied in passes over the files.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use super::attribute_file::{AttributeReader, Directory};
use super::column_merge::{ColumnPart, NewIds, merge_columns};
use super::shape_section::{self, ShapeRef};

/// A file with what becomes of its documents; new numbers ascend within a file and from one file
/// to the next.
pub(crate) struct Part {
    pub(crate) attributes: AttributeReader,
    pub(crate) new_ids: NewIds,
}

impl Part {
    fn new_id(&self, local: u32) -> Option<u32> {
        self.new_ids.get(local)
    }
}

/// Writes the file of `n_docs` documents that the parts make together and gives the writer back for
/// closing. What has to wait does so in `folder`.
///
/// # Errors
/// When files cannot be read or written.
pub(crate) fn merge_attributes<W: Write>(
    parts: &[Part],
    n_docs: u32,
    folder: &Path,
    mut out: W,
) -> io::Result<W> {
    let fields: BTreeSet<_> = parts
        .iter()
        .flat_map(|part| part.attributes.fields())
        .collect();
    let mut directory = Directory::new();
    for field in fields {
        let columns: Vec<ColumnPart<'_>> = parts
            .iter()
            .filter_map(|part| {
                part.attributes.column(field).map(|column| ColumnPart {
                    column,
                    new_ids: &part.new_ids,
                })
            })
            .collect();
        let n_bytes = merge_columns(&columns, n_docs, folder, &mut out)?;
        directory.push(field, n_bytes);
    }
    let n_geo_bytes = write_points(parts, &mut out)?;
    let n_shape_bytes = write_shapes(parts, &mut out)?;
    directory.write(n_geo_bytes + n_shape_bytes, n_docs, &mut out)?;
    Ok(out)
}

/// Writes all points and says how many bytes they take.
fn write_points(parts: &[Part], out: &mut dyn Write) -> io::Result<u64> {
    let mut n: u32 = 0;
    for_each_point(parts, &mut |_, _| {
        n += 1;
        Ok(())
    })?;
    out.write_all(&n.to_le_bytes())?;
    for_each_point(parts, &mut |doc, _| out.write_all(&doc.to_le_bytes()))?;
    for_each_point(parts, &mut |_, [latitude, longitude]| {
        out.write_all(&latitude.to_le_bytes())?;
        out.write_all(&longitude.to_le_bytes())
    })?;
    Ok(4 + 20 * u64::from(n))
}

fn for_each_point(
    parts: &[Part],
    each: &mut dyn FnMut(u32, [f64; 2]) -> io::Result<()>,
) -> io::Result<()> {
    for part in parts {
        let mut walked = Ok(());
        part.attributes.for_each_geo(|local, point| {
            if let Some(doc) = part.new_id(local).filter(|_| walked.is_ok()) {
                walked = each(doc, point);
            }
        });
        walked?;
    }
    Ok(())
}

/// Writes all shapes and says how many bytes they take.
fn write_shapes(parts: &[Part], out: &mut dyn Write) -> io::Result<u64> {
    let walk = |each: &mut dyn FnMut(u32, &ShapeRef<'_>) -> io::Result<()>| -> io::Result<()> {
        for part in parts {
            let mut walked = Ok(());
            part.attributes.shapes().for_each(|local, shape| {
                if let Some(doc) = part.new_id(local).filter(|_| walked.is_ok()) {
                    walked = each(doc, &shape);
                }
            });
            walked?;
        }
        Ok(())
    };
    shape_section::write_walked(&walk, out)
}
