//! Work of one request that several threads share.

mod parts;
mod threads;

pub(crate) use parts::{MANY_DOCS, Part, in_parts};
pub(crate) use threads::{in_order, side_by_side};
