//! Compared with a list that knows what was asked for, in which order.

use proptest::prelude::*;

use super::*;

/// Bytes that all documents have in these tests.
const MOST: usize = 64 << 10;

fn places(reader: ReaderNumber) -> impl Fn(u32) -> BlockPlace {
    move |block| BlockPlace { reader, block }
}

fn json(block: u32, n_bytes: usize) -> Vec<u8> {
    vec![block as u8; n_bytes]
}

/// What a search does; true if the document was kept.
fn ask(memory: &LongDocuments, place: BlockPlace, n_bytes: usize) -> bool {
    let json = json(place.block, n_bytes);
    let kept = memory.kept(place);
    match &kept {
        Some(kept) => assert_eq!(**kept, *json),
        None => {
            memory.keep(place, &json, MOST);
        }
    }
    kept.is_some()
}

#[derive(Clone, Debug)]
enum Step {
    Ask { reader: usize, block: u32 },
    DropOldest,
    StayWith { from: usize },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        40 => (0..3_usize, 0..24_u32).prop_map(|(reader, block)| Step::Ask { reader, block }),
        1 => Just(Step::DropOldest),
        1 => (0..3_usize).prop_map(|from| Step::StayWith { from }),
    ]
}

/// Long enough for some to be too long, and for all of them to be more than there is room for.
fn length(reader: usize, block: u32) -> usize {
    block as usize * 400 + reader * 100
}

proptest! {
    #[test]
    fn it_is_what_a_list_would_be_and_never_more_than_it_may(
        steps in proptest::collection::vec(step(), 1..400),
    ) {
        let readers = [(); 3].map(|()| ReaderNumber::next());
        let memory = with_marks_apart(&readers);
        memory.stay_with(readers.to_vec());
        let mut alive = 0..3;
        // The oldest first.
        let mut kept: Vec<(usize, u32)> = Vec::new();
        let mut asked_once: Vec<(usize, u32)> = Vec::new();
        let mut n_crowding = 0;
        let n_bytes = |&(reader, block): &(usize, u32)| length(reader, block) + ENTRY_BYTES;
        for step in steps {
            match step {
                Step::Ask { reader, block } => {
                    let asked = (reader, block);
                    let place = places(readers[reader])(block);
                    let was_kept = ask(&memory, place, length(reader, block));
                    let known = kept.iter().position(|other| *other == asked);
                    prop_assert_eq!(was_kept, known.is_some());
                    if let Some(at) = known {
                        kept.remove(at);
                        kept.push(asked);
                    } else if n_bytes(&asked) > MOST / LARGEST_PART {
                        // Too long.
                    } else if let Some(at) = asked_once.iter().position(|other| *other == asked) {
                        asked_once.remove(at);
                        let bytes = kept.iter().map(n_bytes).sum::<usize>() + n_bytes(&asked);
                        n_crowding += usize::from(bytes > MOST);
                        if bytes > MOST && n_crowding % ADMITTED_PART != 0 {
                            // Others stay.
                        } else if alive.contains(&reader) {
                            kept.push(asked);
                        }
                        while kept.iter().map(n_bytes).sum::<usize>() > MOST {
                            kept.remove(0);
                        }
                    } else {
                        asked_once.push(asked);
                    }
                }
                Step::DropOldest => {
                    prop_assert_eq!(memory.drop_oldest(), !kept.is_empty());
                    kept.drain(..kept.len().min(1));
                }
                Step::StayWith { from } => {
                    alive = from..3;
                    let n_kept = kept.len();
                    kept.retain(|(reader, _)| alive.contains(reader));
                    let is_any = memory.stay_with(readers[from..].to_vec());
                    prop_assert_eq!(is_any, kept.len() < n_kept);
                }
            }
            prop_assert_eq!(memory.held_bytes(), kept.iter().map(n_bytes).sum::<usize>());
            prop_assert!(memory.held_bytes() <= MOST);
        }
    }
}

/// A memory in which no two of the documents that the test asks for have the same place for their mark.
fn with_marks_apart(readers: &[ReaderNumber]) -> LongDocuments {
    let are_apart = |memory: &LongDocuments| {
        let all = readers
            .iter()
            .flat_map(|reader| (0..24).map(places(*reader)));
        let mut marks: Vec<u64> = all
            .map(|place| memory.hasher.hash_one(place) % N_ASKED_ONCE as u64)
            .collect();
        marks.sort_unstable();
        marks.is_sorted_by(|one, next| one < next)
    };
    let mut memories = std::iter::repeat_with(LongDocuments::new);
    memories.find(are_apart).expect("hashes differ each time")
}

#[test]
fn a_walk_through_all_documents_keeps_nothing_and_drives_nothing_out() {
    let memory = LongDocuments::new();
    let reader = ReaderNumber::next();
    memory.stay_with(vec![reader]);
    let place = places(reader);
    for _ in 0..2 {
        ask(&memory, place(0), 5_000);
    }
    for block in 1..5 * N_ASKED_ONCE as u32 {
        ask(&memory, place(block), 5_000);
    }
    assert_eq!(memory.held_bytes(), 5_000 + ENTRY_BYTES);
    assert!(ask(&memory, place(0), 5_000));
}

#[test]
fn of_too_many_that_are_asked_for_in_turn_some_stay() {
    const N_DOCS: u32 = 100;
    let reader = ReaderNumber::next();
    let memory = LongDocuments::new();
    memory.stay_with(vec![reader]);
    let place = places(reader);
    let round = |memory: &LongDocuments| {
        let was_kept = (0..N_DOCS).map(|block| ask(memory, place(block), 1_000));
        was_kept.filter(|kept| *kept).count()
    };
    let n_kept: usize = (0..20).map(|_| round(&memory)).skip(10).sum();
    let room_for = MOST / (1_000 + ENTRY_BYTES);
    assert!(n_kept > 10 * room_for / 2, "{n_kept} times in ten rounds");
}

#[test]
fn a_look_up_does_not_wait() {
    let memory = LongDocuments::new();
    let place = places(ReaderNumber::next())(0);
    let held = memory.held.lock();
    assert!(memory.kept(place).is_none());
    for _ in 0..3 {
        assert!(!memory.keep(place, b"long", MOST));
    }
    drop(held);
}
