//! Fixed operations of every crate of the engine, for `valgrind --tool=callgrind`, which counts the
//! instructions of each: `npm run bench -- counts`.
//!
//! Run without valgrind it does the same work and counts nothing. The work is the same in each run:
//! fixed documents and texts, one thread that indexes, hash maps that are seeded alike, the system's
//! allocator, and merges that are waited for where they belong. Each operation runs once before it
//! is counted, so what is counted finds caches filled, unless its module says otherwise.

mod callgrind;
mod entropy;
mod films;
mod index_of_films;
mod meter;
mod parsing;
mod queue;
mod searching;
mod tokenizing;
mod vectors;
mod writing;

fn main() {
    let mut meter = meter::Meter::default();
    tokenizing::count(&mut meter);
    parsing::count(&mut meter);
    queue::count(&mut meter);
    vectors::count(&mut meter);
    writing::count(&mut meter);
    searching::count(&mut meter);
}
