//! How much a rendering may do: steps, and the bytes that its tags and filters read and make.
//!
//! Loops within loops multiply, and so do filters that make a text longer each time. Each rendering
//! has a number of steps: one for each part of a template that is rendered, each round of a loop
//! and each [`BYTES_A_STEP`] bytes of a value that a tag or a filter reads or makes.
//!
//! # Invariants
//! 1. Whether a rendering is refused depends on the template and its values alone, never on time.
//! 2. Once the steps are spent nothing goes on: loops end, filters and tags fail.

use liquid_core::model::{KString, KStringCow, KStringRef, ScalarCow, Value, ValueCow, ValueView};
use liquid_core::runtime::PartialStore;
use liquid_core::runtime::{Interrupt, InterruptRegister, Registers};
use liquid_core::{Error, Result, Runtime};

use crate::bounds::MAX_BYTES;

/// Steps of a rendering at the most.
const MAX_STEPS: u64 = 1_000_000;

/// Bytes of values that are one step.
const BYTES_A_STEP: u64 = 1024;

/// Bytes that a value takes beside its text, about.
const VALUE_BYTES: u64 = 64;

/// What is left of the steps of a rendering.
#[derive(Debug)]
pub(crate) struct Work {
    left: u64,
    /// Whether a value was to be longer than a rendered text may be.
    is_long: bool,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            left: MAX_STEPS,
            is_long: false,
        }
    }
}

impl Work {
    /// Why a rendering was given up; `None` if it was not.
    pub(crate) fn refusal(&self) -> Option<String> {
        if self.is_long {
            return Some(format!(
                "a text that the template makes is longer than {MAX_BYTES} bytes"
            ));
        }
        (self.left == 0).then(|| format!("the template takes more than {MAX_STEPS} steps"))
    }

    fn spend(&mut self, steps: u64) -> bool {
        self.left = self.left.saturating_sub(steps);
        self.left > 0
    }
}

/// Takes the steps that so many bytes cost.
///
/// # Errors
/// When they are spent.
pub(crate) fn spend_bytes(runtime: &dyn Runtime, bytes: u64) -> Result<()> {
    spent_or(runtime.registers(), 1 + bytes / BYTES_A_STEP)
}

/// Refuses a text of more bytes than a rendered text may have.
///
/// # Errors
/// When it has.
pub(crate) fn check_length(runtime: &dyn Runtime, bytes: u64) -> Result<()> {
    if bytes <= MAX_BYTES as u64 {
        return Ok(());
    }
    runtime.registers().get_mut::<Work>().is_long = true;
    Err(Error::with_msg("too long"))
}

/// About how many bytes a value takes in memory.
pub(crate) fn bytes_of(value: &dyn ValueView) -> u64 {
    let inside: u64 = if let Some(items) = value.as_array() {
        items.values().map(bytes_of).sum()
    } else if let Some(members) = value.as_object() {
        members.values().map(bytes_of).sum()
    } else {
        value.to_kstr().len() as u64
    };
    VALUE_BYTES + inside
}

fn spent_or(registers: &Registers, steps: u64) -> Result<()> {
    match registers.get_mut::<Work>().spend(steps) {
        true => Ok(()),
        false => Err(Error::with_msg("too many steps")),
    }
}

/// What a tag or a filter sees of a rendering, with what is counted.
pub(crate) struct Counted<'r> {
    pub(crate) inner: &'r dyn Runtime,
    /// Whether parts and rounds are counted; what lies inside does not count them again.
    pub(crate) is_outermost: bool,
}

impl Runtime for Counted<'_> {
    fn partials(&self) -> &dyn PartialStore {
        self.inner.partials()
    }

    fn name(&self) -> Option<KStringRef<'_>> {
        self.inner.name()
    }

    fn roots(&self) -> std::collections::BTreeSet<KStringCow<'_>> {
        self.inner.roots()
    }

    fn try_get(&self, path: &[ScalarCow<'_>]) -> Option<ValueCow<'_>> {
        let value = self.inner.try_get(path)?;
        let steps = bytes_of(value.as_view()) / BYTES_A_STEP;
        spent_or(self.inner.registers(), steps).ok()?;
        Some(value)
    }

    fn get(&self, path: &[ScalarCow<'_>]) -> Result<ValueCow<'_>> {
        let value = self.inner.get(path)?;
        let steps = bytes_of(value.as_view()) / BYTES_A_STEP;
        spent_or(self.inner.registers(), steps)?;
        Ok(value)
    }

    fn set_global(&self, name: KString, value: Value) -> Option<Value> {
        self.inner.set_global(name, value)
    }

    fn set_index(&self, name: KString, value: Value) -> Option<Value> {
        self.inner.set_index(name, value)
    }

    fn get_index<'a>(&'a self, name: &str) -> Option<ValueCow<'a>> {
        self.inner.get_index(name)
    }

    /// Asked for after each part of a template and each round of a loop, to see whether to go on.
    fn registers(&self) -> &Registers {
        let registers = self.inner.registers();
        if self.is_outermost && spent_or(registers, 1).is_err() {
            let mut interrupt = registers.get_mut::<InterruptRegister>();
            interrupt.set(Interrupt::Break);
        }
        registers
    }
}
