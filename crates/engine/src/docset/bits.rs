//! Counts bits of many words, with the instruction for it where the machine has one.

/// How many bits of the words are set.
pub(super) fn count(words: &[u64]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the machine has the instruction.
        return unsafe { count_by_instruction(words) };
    }
    count_each(words)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn count_by_instruction(words: &[u64]) -> usize {
    count_each(words)
}

#[inline(always)]
fn count_each(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    #[test]
    fn bits_are_counted_the_same_with_the_instruction_and_without() {
        let words: Vec<u64> = (0..100_u64)
            .map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        assert_eq!(super::count(&words), super::count_each(&words));
        assert_eq!(super::count(&[u64::MAX, 0, 1]), 65);
    }
}
