//! One index that is open: awake or resting.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, RwLock};

use super::List;
use crate::index::{Index, IndexError, IndexOptions, Shared};
use crate::search::{IndexView, QueryConfigs};
use crate::vectors::Embedding;

/// An index that somebody holds. While it rests nothing of it is in memory.
pub struct OpenIndex {
    this: Weak<Self>,
    path: PathBuf,
    opener: Opener,
    list: Arc<List>,
    state: RwLock<State>,
    asked: AtomicU64,
    told: Mutex<Told>,
}

/// An index that is in memory.
pub struct AwakeIndex {
    /// The index.
    pub index: Index,
    configs: QueryConfigs,
}

enum State {
    Awake(Arc<AwakeIndex>),
    Resting,
}

/// How an index is opened again.
pub(super) struct Opener {
    pub(super) options: IndexOptions,
    pub(super) shared: Shared,
}

/// What an index that is opened again is told, and what is known of one that rests.
#[derive(Default)]
struct Told {
    embedding: Option<Embedding>,
    /// The last batch that was asked to stop.
    stop: Option<u64>,
    /// The last batch that others were said to follow.
    followed: Option<u64>,
    /// From before it rests until it is awake again.
    resting: Option<Resting>,
}

/// What is known of an index that rests.
struct Resting {
    foreign_uids: Vec<String>,
    counts: IndexCounts,
}

/// What is counted in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexCounts {
    /// Living documents.
    pub n_documents: u64,
    /// Vectors of all embedders.
    pub n_embeddings: u64,
    /// Documents that have a vector.
    pub n_embedded_documents: u64,
    /// Documents by the attributes they have.
    pub field_distribution: Arc<BTreeMap<String, u64>>,
}

impl AwakeIndex {
    /// What searches see of it now.
    #[must_use]
    pub fn view(&self) -> IndexView {
        IndexView::new(self.index.snapshot(), &self.configs)
    }

    fn counts(&self) -> IndexCounts {
        let snapshot = self.index.snapshot();
        let (n_embeddings, n_embedded_documents) = snapshot.embedding_counts();
        IndexCounts {
            n_documents: snapshot.documents().len() as u64,
            n_embeddings,
            n_embedded_documents,
            field_distribution: Arc::clone(&snapshot.meta().field_distribution),
        }
    }

    fn foreign_uids(&self) -> Vec<String> {
        let snapshot = self.index.snapshot();
        let keys = snapshot.settings().foreign_attributes();
        let mut uids: Vec<String> = keys.map(|(_, uid)| uid.to_owned()).collect();
        uids.sort_unstable();
        uids.dedup();
        uids
    }
}

impl OpenIndex {
    pub(super) fn awake(index: Index, opener: Opener, list: Arc<List>) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            path: index.path().to_owned(),
            opener,
            asked: AtomicU64::new(list.now()),
            list,
            state: RwLock::new(State::Awake(AwakeIndex::new(index))),
            told: Mutex::default(),
        })
    }

    /// The index; one that rests is opened, which reads files.
    ///
    /// # Errors
    /// Those of [`Index::open`].
    pub fn wake(&self) -> Result<Arc<AwakeIndex>, IndexError> {
        match self.if_awake() {
            Some(index) => Ok(index),
            None => self.open(),
        }
    }

    fn open(&self) -> Result<Arc<AwakeIndex>, IndexError> {
        let mut state = self.state.write();
        if let State::Awake(index) = &*state {
            return Ok(Arc::clone(index));
        }
        let Opener { options, shared } = &self.opener;
        let index = AwakeIndex::new(Index::open_among(shared, &self.path, *options)?);
        let mut told = self.told.lock();
        if let Some(embedding) = &told.embedding {
            index.index.set_embedding(embedding.clone());
        }
        if let Some(batch) = told.stop {
            index.index.abort_batch(batch);
        }
        if let Some(batch) = told.followed {
            index.index.expect_more(batch);
        }
        told.resting = None;
        self.asked.store(self.list.now(), Ordering::Relaxed);
        *state = State::Awake(Arc::clone(&index));
        drop((told, state));
        // Whoever waited for the lock meanwhile has it open: it is told of once.
        self.list.has_woken(Weak::clone(&self.this));
        Ok(index)
    }

    /// The index if it is awake; waits for one that is being opened or closed.
    fn if_awake(&self) -> Option<Arc<AwakeIndex>> {
        self.asked(&self.state.read())
    }

    /// The index if it is awake; waits for nothing.
    #[must_use]
    pub fn at_hand(&self) -> Option<Arc<AwakeIndex>> {
        self.asked(&*self.state.try_read()?)
    }

    fn asked(&self, state: &State) -> Option<Arc<AwakeIndex>> {
        let State::Awake(index) = state else {
            return None;
        };
        self.asked.store(self.list.now(), Ordering::Relaxed);
        Some(Arc::clone(index))
    }

    #[cfg(test)]
    pub(super) fn is_awake(&self) -> bool {
        matches!(&*self.state.read(), State::Awake(_))
    }

    pub(super) fn last_asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Lets the files and the memory go, unless somebody is at work; whether it rests.
    pub(super) fn rest(&self) -> bool {
        let Some(mut state) = self.state.try_write() else {
            return false;
        };
        let State::Awake(index) = &*state else {
            return true;
        };
        // Nobody takes a handle meanwhile: that needs the lock.
        if Arc::strong_count(index) > 1 || !index.index.is_idle() {
            return false;
        }
        let resting = Resting {
            foreign_uids: index.foreign_uids(),
            counts: index.counts(),
        };
        self.told.lock().resting = Some(resting);
        *state = State::Resting;
        true
    }

    /// Sets where vectors come from that documents do not bring themselves.
    pub fn set_embedding(&self, embedding: Embedding) {
        self.told.lock().embedding = Some(embedding.clone());
        if let Some(awake) = self.if_awake() {
            awake.index.set_embedding(embedding);
        }
    }

    /// Asks a batch to stop, whether it runs or is about to.
    pub fn abort_batch(&self, batch_uid: u64) {
        self.told.lock().stop = Some(batch_uid);
        if let Some(awake) = self.if_awake() {
            awake.index.abort_batch(batch_uid);
        }
    }

    /// Says that another batch is to come after one that runs or is about to.
    pub fn expect_more(&self, batch_uid: u64) {
        self.told.lock().followed = Some(batch_uid);
        if let Some(awake) = self.if_awake() {
            awake.index.expect_more(batch_uid);
        }
    }

    /// The uids of the indexes that foreign keys lead to, in order; opens nothing.
    #[must_use]
    pub fn foreign_uids(&self) -> Vec<String> {
        self.known(AwakeIndex::foreign_uids, |resting| {
            resting.foreign_uids.clone()
        })
        .unwrap_or_default()
    }

    /// What is counted in it. Who counts all indexes opens none that rests, and does not keep the
    /// others awake.
    ///
    /// # Errors
    /// Those of [`Index::open`].
    pub fn counts(&self) -> Result<IndexCounts, IndexError> {
        match self.known(AwakeIndex::counts, |resting| resting.counts.clone()) {
            Some(counts) => Ok(counts),
            None => Ok(self.wake()?.counts()),
        }
    }

    /// What is known of it without opening it: of one that rests, what was so when it was awake.
    fn known<T>(
        &self,
        awake: impl Fn(&AwakeIndex) -> T,
        resting: impl Fn(&Resting) -> T,
    ) -> Option<T> {
        let told = || self.told.lock().resting.as_ref().map(&resting);
        told().or_else(|| match &*self.state.read() {
            State::Awake(index) => Some(awake(index)),
            // It went to rest in this moment.
            State::Resting => told(),
        })
    }
}

impl AwakeIndex {
    fn new(index: Index) -> Arc<Self> {
        Arc::new(Self {
            index,
            configs: QueryConfigs::default(),
        })
    }
}
