//! Behaviour of vectors in whole indexes.
