//! Every operation against a plain ordered set.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn ids() -> impl Strategy<Value = BTreeSet<DocId>> {
    prop_oneof![
        proptest::collection::btree_set(0..40u32, 0..40),
        proptest::collection::btree_set(0..5000u32, 0..60),
        proptest::collection::btree_set(0..5000u32, 0..3),
        proptest::collection::btree_set(0..3000u32, 100..900),
    ]
}

fn set(ids: &BTreeSet<DocId>) -> DocSet {
    DocSet::from_sorted(ids.iter().copied().collect())
}

fn model(set: &DocSet) -> BTreeSet<DocId> {
    set.iter().collect()
}

proptest! {
    /// Whatever the representation, every operation equals the one on a plain ordered set.
    #[test]
    fn operations_equal_those_of_a_plain_set(a in ids(), b in ids()) {
        let (x, y) = (set(&a), set(&b));
        prop_assert_eq!(model(&x.and(&y)), &a & &b);
        prop_assert_eq!(model(&x.or(&y)), &a | &b);
        prop_assert_eq!(model(&x.and_not(&y)), &a - &b);
        prop_assert_eq!(x.and_len(&y), (&a & &b).len());
        let mut rest = x.clone();
        rest.remove_all(&y);
        prop_assert_eq!(rest.len(), (&a - &b).len());
        prop_assert_eq!(model(&rest), &a - &b);
        prop_assert_eq!(x.intersects(&y), !a.is_disjoint(&b));
        prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
        prop_assert_eq!(x.or(&y).len(), (&a | &b).len());
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!(x.first(), a.first().copied());
        let ranks: Vec<u32> = (0..a.len() as u32 + 2).filter(|rank| b.contains(&(rank % 40))).collect();
        let at_ranks = ranks.iter().filter_map(|rank| a.iter().nth(*rank as usize));
        prop_assert_eq!(x.at_ranks(&ranks), at_ranks.copied().collect::<Vec<_>>());
        for id in 0..60 {
            prop_assert_eq!(x.contains(id), a.contains(&id));
        }
        for id in [0, 1, 63, 64, 2000, 6000] {
            prop_assert!(x.iter_from(id).eq(a.range(id..).copied()));
        }
    }

    /// So it does for sets that came from one, in whole or in part.
    #[test]
    fn operations_on_sets_of_one_origin_equal_those_of_a_plain_set(a in ids(), b in ids()) {
        let x = set(&a);
        let part = x.and(&set(&b));
        for (y, of) in [(x.clone(), a.clone()), (x.or(&part), a.clone()), (part, &a & &b)] {
            prop_assert_eq!(model(&x.and(&y)), &a & &of);
            prop_assert_eq!(model(&x.or(&y)), &a | &of);
            prop_assert_eq!(model(&x.and_not(&y)), &a - &of);
            prop_assert_eq!(x.and_len(&y), of.len());
            prop_assert_eq!(x == y, a == of);
            let mut rest = x.clone();
            rest.remove_all(&y);
            prop_assert_eq!(model(&rest), &a - &of);
            prop_assert_eq!(model(&x), a.clone(), "a clone does not change with the other");
        }
    }

    /// The builder gives the same set for any order and any repetition.
    #[test]
    fn a_builder_forgets_order_and_repeats(a in ids(), b in ids(), universe in 0..4000usize) {
        let mut builder = DocSetBuilder::new(universe);
        a.iter().rev().chain(a.iter()).for_each(|id| builder.insert(*id));
        builder.insert_all(&set(&b));
        prop_assert_eq!(model(&builder.finish()), &a | &b);
    }
}

#[test]
fn a_full_set_ends_where_it_says() {
    for end in [0, 1, 63, 64, 65, 200] {
        assert_eq!(
            DocSet::full(end).iter().collect::<Vec<_>>(),
            (0..end).collect::<Vec<_>>()
        );
    }
}
