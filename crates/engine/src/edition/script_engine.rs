//! The script engine with its limits, and a stack deep enough for them.

use std::io;

use rhai::{Dynamic, Engine, EvalAltResult};

const MAX_CALLS: usize = 1_000;
const MAX_OPERATIONS: u64 = 1_000_000;
const MAX_VARIABLES: usize = 1_000;
const MAX_FUNCTIONS: usize = 30;
/// Nesting of expressions outside of functions, and in them.
const MAX_NESTING: (usize, usize) = (100, 1_000);
const MAX_STRING_BYTES: usize = 1 << 30;
const MAX_ELEMENTS: usize = 10_000;

/// Address space of the thread that scripts run on; only what they use becomes memory.
const STACK_BYTES: usize = 256 << 20;
/// Bytes of the stack that nested calls may fill. The rest is for values nested as deeply as the
/// number of operations allows, which are copied and dropped by recursion.
const CALL_STACK_BYTES: usize = 96 << 20;

/// Why documents could not be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditionError {
    /// The function is no valid script; holds what the script engine says.
    #[error("Document edition runtime error encountered while compiling the function: {0}")]
    Compilation(String),
    /// The function failed on a document.
    #[error("Document edition runtime error encountered while running the function: {0}")]
    Run(String),
    /// The function gave a document another identifier, or none.
    #[error("Document editions cannot modify a document's primary key")]
    PrimaryKey,
    /// The function made something else of a document.
    #[error("Document editions must keep documents as objects")]
    NoObject,
}

/// Why a function was not found to be right.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// It is no valid script; holds what the script engine says.
    #[error("{0}")]
    Broken(String),
    /// There was no thread to find out on, which says nothing of the function.
    #[error(transparent)]
    Thread(#[from] io::Error),
}

/// Whether a function can be compiled.
///
/// # Errors
/// Why it cannot, or why that is not known.
pub fn check_function(function: &str) -> Result<(), CheckError> {
    on_deep_stack(|| {
        let compiled = script_engine(|| false).compile(function);
        compiled
            .map(drop)
            .map_err(|error| CheckError::Broken(error.to_string()))
    })?
}

/// Runs `work` on a thread whose stack the limits of scripts fit in.
///
/// # Errors
/// When no thread can be started.
pub(crate) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("serval-edition".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)?;
        match thread.join() {
            Ok(result) => Ok(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// An engine for the thread it is made on, which must be one of [`on_deep_stack`]. Scripts end
/// soon after `is_stopped` says so.
pub(super) fn script_engine(is_stopped: impl Fn() -> bool + 'static) -> Engine {
    let mut engine = Engine::new();
    engine
        .set_max_call_levels(MAX_CALLS)
        .set_max_operations(MAX_OPERATIONS)
        .set_max_variables(MAX_VARIABLES)
        .set_max_functions(MAX_FUNCTIONS)
        .set_max_expr_depths(MAX_NESTING.0, MAX_NESTING.1)
        .set_max_string_size(MAX_STRING_BYTES)
        .set_max_array_size(MAX_ELEMENTS)
        .set_max_map_size(MAX_ELEMENTS)
        .disable_symbol("eval")
        .register_fn("sleep", |_: rhai::INT| refused_sleep())
        .register_fn("sleep", |_: rhai::FLOAT| refused_sleep())
        .on_print(|_| {})
        .on_debug(|_, _, _| {});
    let base = stack_address();
    engine.on_progress(move |_| {
        let ends = stack_address().abs_diff(base) > CALL_STACK_BYTES || is_stopped();
        ends.then_some(Dynamic::UNIT)
    });
    engine
}

/// A script must not hold the batch up: waiting counts as no operation, so that no limit would end
/// it.
fn refused_sleep() -> Result<(), Box<EvalAltResult>> {
    Err("Function not found: sleep".into())
}

/// What is said of a script that failed.
pub(super) fn run_error(error: &EvalAltResult) -> EditionError {
    EditionError::Run(match error {
        // Nothing else ends a script from outside whose failure is shown.
        EvalAltResult::ErrorTerminated(_, position) => format!("Stack overflow ({position})"),
        error => error.to_string(),
    })
}

/// About where the stack ends at the moment.
#[inline(never)]
fn stack_address() -> usize {
    let here = std::hint::black_box(0_u8);
    std::ptr::from_ref(&here) as usize
}
