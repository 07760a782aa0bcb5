//! Lists of ascending ids against each other.
//!
//! # Cost
//! One pass over both lists without branches that depend on the ids; a list that is much longer is
//! searched instead, by steps that double.

use super::DocId;

/// A list so many times longer is searched rather than passed over.
const MUCH_LONGER: usize = 32;

/// Ids in both lists.
pub(super) fn both(a: &[DocId], b: &[DocId]) -> Vec<DocId> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut found = Vec::with_capacity(short.len());
    if is_much_longer(long, short) {
        found.extend(short.iter().filter(searcher(long)));
        return found;
    }
    // Each place is written before it is known whether it stays.
    found.resize(short.len(), 0);
    let (mut i, mut j, mut n) = (0, 0, 0);
    while i < short.len() && j < long.len() {
        let (x, y) = (short[i], long[j]);
        found[n] = x;
        n += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    found.truncate(n);
    found
}

/// How many ids are in both lists.
pub(super) fn n_both(a: &[DocId], b: &[DocId]) -> usize {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if is_much_longer(long, short) {
        return short.iter().filter(searcher(long)).count();
    }
    let (mut i, mut j, mut n) = (0, 0, 0);
    while i < short.len() && j < long.len() {
        let (x, y) = (short[i], long[j]);
        n += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    n
}

/// Ids of `a` that are not in `b`.
pub(super) fn without(a: &[DocId], b: &[DocId]) -> Vec<DocId> {
    if is_much_longer(b, a) {
        let mut is_in = searcher(b);
        return a.iter().filter(|id| !is_in(id)).copied().collect();
    }
    let mut left = vec![0; a.len()];
    let (mut i, mut j, mut n) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        left[n] = x;
        n += usize::from(x < y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    left.truncate(n);
    left.extend_from_slice(&a[i..]);
    left
}

/// Ids of either list.
pub(super) fn either(a: &[DocId], b: &[DocId]) -> Vec<DocId> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        merged.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    merged.extend_from_slice(&a[i..]);
    merged.extend_from_slice(&b[j..]);
    merged
}

const fn is_much_longer(long: &[DocId], short: &[DocId]) -> bool {
    long.len() / MUCH_LONGER > short.len()
}

/// Tells of ascending ids whether they are in a list.
fn searcher(list: &[DocId]) -> impl FnMut(&&DocId) -> bool + '_ {
    let mut from = 0;
    move |id| {
        let mut step = 1;
        while from + step < list.len() && list[from + step] < **id {
            from += step;
            step *= 2;
        }
        let to = list.len().min(from + step + 1);
        from += list[from..to].partition_point(|other| other < *id);
        list.get(from) == Some(*id)
    }
}
