//! Random operations on the store and on a plain list in memory give the same answers.

use proptest::prelude::*;
use serde_json::json;
use serval_store::{FinishedBatch, NewTask, Store, TaskFilter};

const KINDS: [&str; 3] = ["add", "delete", "swap"];
const INDEXES: [&str; 3] = ["a", "b", "c"];
const STATUSES: [&str; 4] = ["enqueued", "succeeded", "failed", "canceled"];

#[derive(Debug, Clone)]
enum Operation {
    Enqueue {
        kind: usize,
        indexes: Vec<usize>,
    },
    /// Ends the oldest `n_tasks` that wait, with one status, and forgets the uids below a bound.
    Finish {
        n_tasks: usize,
        status: usize,
        forget_below: Option<u32>,
    },
    Query(Query),
    Reopen,
}

#[derive(Debug, Clone)]
struct Query {
    statuses: Option<Vec<usize>>,
    kinds: Option<Vec<usize>>,
    indexes: Option<Vec<usize>>,
    uids: Option<Vec<u32>>,
    batches: Option<Vec<u32>>,
    from: Option<u32>,
    limit: u32,
    reverse: bool,
}

#[derive(Debug, Clone)]
struct ModelTask {
    uid: u32,
    kind: usize,
    status: usize,
    indexes: Vec<usize>,
    batch: Option<u32>,
}

#[derive(Debug, Default)]
struct Model {
    tasks: Vec<ModelTask>,
    n_enqueued: u32,
    n_batches: u32,
}

fn some_of(n: usize) -> impl Strategy<Value = Option<Vec<usize>>> {
    prop::option::of(prop::collection::vec(0..n, 0..3))
}

fn query() -> impl Strategy<Value = Query> {
    let uids = prop::option::of(prop::collection::vec(0u32..30, 0..6));
    let batches = prop::option::of(prop::collection::vec(0u32..8, 0..4));
    let page = (prop::option::of(0u32..30), 0u32..8, any::<bool>());
    (some_of(4), some_of(3), some_of(3), uids, batches, page).prop_map(
        |(statuses, kinds, indexes, uids, batches, (from, limit, reverse))| Query {
            statuses,
            kinds,
            indexes,
            uids,
            batches,
            from,
            limit,
            reverse,
        },
    )
}

fn operation() -> impl Strategy<Value = Operation> {
    let indexes = prop::collection::vec(0..INDEXES.len(), 0..3);
    prop_oneof![
        5 => (0..KINDS.len(), indexes).prop_map(|(kind, indexes)| Operation::Enqueue { kind, indexes }),
        2 => (0usize..4, 1..STATUSES.len(), prop::option::of(0u32..20)).prop_map(
            |(n_tasks, status, forget_below)| Operation::Finish { n_tasks, status, forget_below },
        ),
        4 => query().prop_map(Operation::Query),
        1 => Just(Operation::Reopen),
    ]
}

impl Model {
    fn matches(task: &ModelTask, query: &Query) -> bool {
        let one_of =
            |list: &Option<Vec<usize>>, value| list.as_ref().is_none_or(|l| l.contains(&value));
        one_of(&query.statuses, task.status)
            && one_of(&query.kinds, task.kind)
            && query
                .uids
                .as_ref()
                .is_none_or(|uids| uids.contains(&task.uid))
            && query
                .batches
                .as_ref()
                .is_none_or(|b| task.batch.is_some_and(|uid| b.contains(&uid)))
            && query
                .indexes
                .as_ref()
                .is_none_or(|i| task.indexes.iter().any(|index| i.contains(index)))
    }

    /// Uids of the page, the total, and the uid of the next page.
    fn page(&self, query: &Query) -> (Vec<u32>, u64, Option<u32>) {
        let mut uids: Vec<u32> = self
            .tasks
            .iter()
            .filter(|task| Self::matches(task, query))
            .map(|task| task.uid)
            .collect();
        let total = uids.len() as u64;
        if !query.reverse {
            uids.reverse();
        }
        if let Some(from) = query.from {
            uids.retain(|uid| {
                if query.reverse {
                    *uid >= from
                } else {
                    *uid <= from
                }
            });
        }
        let next = uids.get(query.limit as usize).copied();
        uids.truncate(query.limit as usize);
        (uids, total, next)
    }
}

fn names(list: &Option<Vec<usize>>, of: &[&str]) -> Option<Vec<String>> {
    list.as_ref()
        .map(|list| list.iter().map(|at| of[*at].to_owned()).collect())
}

fn enqueue(store: &Store, model: &mut Model, kind: usize, indexes: Vec<usize>) {
    let mut uids = indexes.iter().map(|at| INDEXES[*at].to_owned());
    let new = NewTask {
        index_uid: uids.next(),
        mentions: uids.collect(),
        ..NewTask::of_kind(KINDS[kind])
    };
    let task = store
        .write_wait(move |tx| tx.enqueue(&new))
        .expect("writable");
    assert_eq!(task.uid, model.n_enqueued);
    model.n_enqueued += 1;
    model.tasks.push(ModelTask {
        uid: task.uid,
        kind,
        status: 0,
        indexes,
        batch: None,
    });
}

fn finish(store: &Store, model: &mut Model, n_tasks: usize, status: usize, below: Option<u32>) {
    let start = store.read_wait(|tx| tx.next_batch()).expect("readable");
    assert_eq!(start.uid, model.n_batches);
    let mut outcomes = Vec::new();
    for task in model
        .tasks
        .iter_mut()
        .filter(|task| task.status == 0)
        .take(n_tasks)
    {
        (task.status, task.batch) = (status, Some(start.uid));
        outcomes.push(json!({ "uid": task.uid, "status": STATUSES[status] }));
    }
    let ranges: Option<Vec<(u32, u32)>> = below.map(|bound| vec![(0, bound)]);
    let batch = json!({
        "uid": start.uid, "startedAt": start.started_at, "details": {}, "stats": {},
        "strategy": "", "tasks": outcomes, "forgottenTasks": ranges,
    });
    let batch: FinishedBatch = serde_json::from_value(batch).expect("a batch");
    store
        .write_wait(move |tx| tx.finish_batch(&batch))
        .expect("it fits");
    model.n_batches += 1;
    if let Some(bound) = below {
        model
            .tasks
            .retain(|task| task.status == 0 || task.uid > bound);
    }
}

fn check(store: &Store, model: &Model, query: &Query) -> Result<(), TestCaseError> {
    let filter = TaskFilter {
        limit: Some(query.limit),
        from: query.from,
        reverse: query.reverse,
        uids: query.uids.clone(),
        batch_uids: query.batches.clone(),
        types: names(&query.kinds, &KINDS),
        statuses: names(&query.statuses, &STATUSES),
        index_uids: names(&query.indexes, &INDEXES),
        ..TaskFilter::default()
    };
    let (expected, total, next) = model.page(query);
    let page = store
        .read_wait(move |tx| tx.tasks(&filter))
        .expect("readable");
    let found: Vec<u32> = page.results.iter().map(|task| task.uid).collect();
    prop_assert_eq!(found, expected);
    prop_assert_eq!((page.total, page.next), (total, next));
    let waiting: Vec<u32> = model
        .tasks
        .iter()
        .filter(|task| task.status == 0)
        .map(|task| task.uid)
        .collect();
    let queued = store
        .read_wait(|tx| tx.queued_tasks(None, 1000))
        .expect("readable");
    prop_assert_eq!(
        queued.iter().map(|task| task.uid).collect::<Vec<_>>(),
        waiting
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    /// The store answers as the list does, also after it was closed and opened again.
    #[test]
    fn the_store_is_a_list(operations in prop::collection::vec(operation(), 1..30)) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut store = Store::open(folder.path()).expect("a new store");
        let mut model = Model::default();
        for operation in operations {
            match operation {
                Operation::Enqueue { kind, indexes } => enqueue(&store, &mut model, kind, indexes),
                Operation::Finish { n_tasks, status, forget_below } => {
                    finish(&store, &mut model, n_tasks, status, forget_below);
                }
                Operation::Query(query) => check(&store, &model, &query)?,
                Operation::Reopen => {
                    store.close();
                    store = Store::open(folder.path()).expect("free again");
                }
            }
        }
    }
}
