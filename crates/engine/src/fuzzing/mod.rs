//! Doors for the fuzz targets: readers of files, and slow evaluations to compare searches with. In
//! no other build.

mod expected;
mod readers;

pub use crate::testing::naive_facets::NaiveFilter;
pub use expected::{Expectation, Question, same_values};
pub use readers::{merge_attributes, read_attributes, read_forward, read_shape};
