//! The part of a ranking that is returned, and the numbers that an answer says of it.

/// Hits per page when only the page is given.
const DEFAULT_HITS_PER_PAGE: usize = 20;

/// The part of the ranking that is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// By offset and limit; totals are estimates.
    Offset {
        /// Hits to skip.
        offset: usize,
        /// Hits to return.
        limit: usize,
    },
    /// By page; totals are exact.
    Page {
        /// Page, from 1; 0 has no hits.
        page: usize,
        /// Page size.
        hits_per_page: usize,
    },
}

impl Window {
    /// The window that a request asks for: by page as soon as it says anything of pages.
    #[must_use]
    pub fn new(
        offset: usize,
        limit: usize,
        page: Option<usize>,
        hits_per_page: Option<usize>,
    ) -> Self {
        if page.is_none() && hits_per_page.is_none() {
            return Self::Offset { offset, limit };
        }
        Self::Page {
            page: page.unwrap_or(1),
            hits_per_page: hits_per_page.unwrap_or(DEFAULT_HITS_PER_PAGE),
        }
    }

    /// Hits to skip and to return, within the first `max_total` ones.
    #[must_use]
    pub fn range(self, max_total: usize) -> (usize, usize) {
        let (offset, limit) = match self {
            Self::Offset { offset, limit } => (offset, limit),
            Self::Page { page: 0, .. } => (0, 0),
            Self::Page {
                page,
                hits_per_page,
            } => ((page - 1).saturating_mul(hits_per_page), hits_per_page),
        };
        let offset = offset.min(max_total);
        (offset, limit.min(max_total - offset))
    }

    /// Whether totals must be exact.
    #[must_use]
    pub const fn is_exhaustive(self) -> bool {
        matches!(self, Self::Page { .. })
    }

    /// The members of an answer that tell of the window and of all `total` hits, in their order.
    pub(crate) fn members(self, total: usize) -> Vec<(&'static str, usize)> {
        match self {
            Self::Offset { offset, limit } => vec![
                ("limit", limit),
                ("offset", offset),
                ("estimatedTotalHits", total),
            ],
            Self::Page {
                page,
                hits_per_page,
            } => {
                let n_pages = if hits_per_page == 0 {
                    0
                } else {
                    total.div_ceil(hits_per_page)
                };
                vec![
                    ("hitsPerPage", hits_per_page),
                    ("page", page),
                    ("totalPages", n_pages),
                    ("totalHits", total),
                ]
            }
        }
    }
}

/// The window of a page within a list that starts at the first hit.
#[derive(Clone, Copy)]
pub(crate) struct PageWindow {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}
