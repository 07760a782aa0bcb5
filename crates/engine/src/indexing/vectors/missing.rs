//! Documents that bring no vectors although only the user can give them.

use std::collections::BTreeMap;

use crate::vectors::VECTORS;
use levenshtein_automata::{Distance, LevenshteinAutomatonBuilder};

/// Changed letters up to which a name passes for a slip of the pen.
const MAX_TYPOS: u8 = 2;
/// Bytes by which a name can be longer or shorter than another that it passes for.
const MAX_LENGTH_APART: usize = 4 * MAX_TYPOS as usize;
/// Bytes of the longest name that others are taken for slips of.
const MAX_NAME: usize = 256;
/// Slips that are pointed at.
const MAX_HINTS: usize = 2;

/// The documents of one payload and embedder that bring no vectors.
#[derive(Default)]
pub(crate) struct MissingVectors {
    first: String,
    count: u64,
    /// Names close to `_vectors`, with the number of documents.
    fields: BTreeMap<String, u64>,
    /// Names in `_vectors` close to the embedder's.
    embedders: BTreeMap<String, u64>,
}

impl MissingVectors {
    /// Counts a document with the names of its members and of those of its `_vectors`.
    pub(crate) fn add<'n>(
        &mut self,
        external_id: &str,
        embedder: &str,
        fields: impl Iterator<Item = &'n str>,
        named: impl Iterator<Item = &'n str>,
    ) {
        if self.count == 0 {
            external_id.clone_into(&mut self.first);
        }
        self.count += 1;
        count_close(&mut self.fields, VECTORS, fields);
        count_close(&mut self.embedders, embedder, named);
    }

    /// What to tell the user.
    pub(crate) fn message(&self, embedder: &str) -> String {
        let others = match self.count.saturating_sub(1) {
            0 => String::new(),
            n => format!(" and at least {n} other document(s)"),
        };
        let mut message = format!(
            "While embedding documents for embedder `{embedder}`: no vectors provided for \
             document `{}`{others}\n- Note: `{embedder}` has `source: userProvided`, so documents \
             must provide embeddings as an array in `_vectors.{embedder}`.",
            self.first
        );
        let fields = hints(&self.fields, |slip, n| {
            format!("\n- Hint: try replacing `{slip}` by `_vectors` in {n} document(s).")
        });
        let embedders = hints(&self.embedders, |slip, n| {
            format!(
                "\n- Hint: try replacing `_vectors.{slip}` by `_vectors.{embedder}` in {n} \
                 document(s)."
            )
        });
        let found = fields + embedders.as_str();
        if found.is_empty() {
            message +=
                &format!("\n- Hint: opt-out for a document with `_vectors.{embedder}: null`");
        }
        format!("{message}{found}")
    }
}

fn count_close<'n>(
    counts: &mut BTreeMap<String, u64>,
    wanted: &str,
    names: impl Iterator<Item = &'n str>,
) {
    // An automaton takes kilobytes for each letter, and names may be as long as a body.
    let is_near = |name: &&str| name.len().abs_diff(wanted.len()) <= MAX_LENGTH_APART;
    let mut names = names.filter(is_near).peekable();
    if wanted.len() > MAX_NAME || names.peek().is_none() {
        return;
    }
    let close = LevenshteinAutomatonBuilder::new(MAX_TYPOS, true).build_dfa(wanted);
    for name in names {
        if matches!(close.eval(name), Distance::Exact(typos) if typos > 0) {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
}

fn hints(counts: &BTreeMap<String, u64>, hint: impl Fn(&str, u64) -> String) -> String {
    let mut slips: Vec<(&String, &u64)> = counts.iter().collect();
    slips.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let told = slips.into_iter().take(MAX_HINTS);
    told.map(|(slip, n)| hint(slip, *n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_pointed_at_instead_of_the_way_out() {
        let mut missing = MissingVectors::default();
        missing.add(
            "40",
            "manual",
            ["id", "_vector"].into_iter(),
            [].into_iter(),
        );
        missing.add("41", "manual", ["id"].into_iter(), ["manaul"].into_iter());
        assert_eq!(
            missing.message("manual"),
            "While embedding documents for embedder `manual`: no vectors provided for document \
             `40` and at least 1 other document(s)\n- Note: `manual` has `source: userProvided`, \
             so documents must provide embeddings as an array in `_vectors.manual`.\n- Hint: try \
             replacing `_vector` by `_vectors` in 1 document(s).\n- Hint: try replacing \
             `_vectors.manaul` by `_vectors.manual` in 1 document(s)."
        );
    }

    #[test]
    fn slips_of_very_long_names_are_not_looked_for() {
        // For so many letters an automaton would take more memory than there is.
        let name = "x".repeat(20_000_000);
        let mut missing = MissingVectors::default();
        missing.add("1", &name, [].into_iter(), [&name[1..]].into_iter());
        assert!(missing.embedders.is_empty());
    }
}
