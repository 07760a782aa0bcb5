//! Counts one operation after the other.

use std::ffi::CString;
use std::hint::black_box;

use crate::callgrind;

/// Names what it counts, and sees to it that no name is there twice.
#[derive(Default)]
pub(crate) struct Meter {
    names: Vec<&'static str>,
}

impl Meter {
    /// Counts an operation that has run once before.
    pub(crate) fn repeat<T>(&mut self, name: &'static str, mut operation: impl FnMut() -> T) {
        drop(black_box(operation()));
        self.once(name, operation);
    }

    /// Counts an operation as it runs for the first time, and gives what it gave.
    pub(crate) fn once<T>(&mut self, name: &'static str, operation: impl FnOnce() -> T) -> T {
        assert!(!self.names.contains(&name), "{name} is there twice");
        self.names.push(name);
        let label = CString::new(name).expect("a name without NUL");
        callgrind::start();
        let result = black_box(operation());
        // Stopping forgets what was counted.
        callgrind::dump(&label);
        callgrind::stop();
        eprintln!("{name}");
        result
    }
}
