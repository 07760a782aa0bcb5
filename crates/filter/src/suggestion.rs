//! Finds the name a typing error was meant for.

/// Most edits between a name and its suggestion.
const MAX_EDITS: usize = 2;

/// The first of `names` within two edits of `typed`; swapping two neighbours is one edit.
pub(crate) fn nearest<'n>(typed: &str, names: &[&'n str]) -> Option<&'n str> {
    names
        .iter()
        .copied()
        .find(|name| edits(typed, name) <= MAX_EDITS)
}

/// Insertions, deletions, replacements and swaps of neighbours between two texts.
fn edits(left: &str, right: &str) -> usize {
    let (left, right): (Vec<_>, Vec<_>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > MAX_EDITS {
        return MAX_EDITS + 1;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=right.len()).collect()];
    for i in 1..=left.len() {
        let mut row = vec![i];
        for j in 1..=right.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_is_one_edit_and_a_far_name_is_not_suggested() {
        assert_eq!(edits("fargments", "fragments"), 1);
        assert_eq!(nearest("regen", &["regenerate"]), None);
        assert_eq!(
            nearest("usrProvide", &["fragments", "userProvided"]),
            Some("userProvided")
        );
    }
}
