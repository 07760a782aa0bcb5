//! Brings results from Rust threads to the JavaScript thread of an environment.
//!
//! One threadsafe function per environment serves every promise: making one per promise costs
//! several times the work of a small read. Results arrive in the order they were sent. Those that
//! are there when the JavaScript thread comes for them are delivered together: its loop is woken
//! once for all of them, and what waits for them goes on once all are settled.
//!
//! # Invariants
//! 1. A promise that waits keeps the event loop alive; without one the process may end.
//! 2. After the environment has begun to shut down nothing is sent to it any more: the hook that
//!    runs first in the shutdown takes the function away under the lock that senders hold.
//! 3. Whenever results wait, one call of the function is on its way to fetch them: who adds the
//!    first one makes it, and it takes all that are there.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use napi::bindgen_prelude::{Object, Result, ToNapiValue};
use napi::{Env, Error, Status, check_status, sys};

/// Makes the value of a promise, on the JavaScript thread.
type MakeValue = Box<dyn FnOnce(sys::napi_env) -> Result<sys::napi_value> + Send>;

/// A promise of JavaScript, to be settled once.
struct Deferred(sys::napi_deferred);

// SAFETY: a deferred is only a handle; it is used on the JavaScript thread alone.
unsafe impl Send for Deferred {}

/// A threadsafe function, callable from any thread while it is not released.
struct Function(sys::napi_threadsafe_function);

// SAFETY: threadsafe functions are made to be called from any thread.
unsafe impl Send for Function {}

// SAFETY: as above; Node guards the function's queue with a lock of its own.
unsafe impl Sync for Function {}

/// The way to one environment.
struct Channel {
    /// `None` once the environment has begun to shut down.
    function: RwLock<Option<Function>>,
    /// Results that wait to be fetched, oldest first.
    messages: Mutex<Vec<Message>>,
}

impl Channel {
    fn function(&self) -> RwLockReadGuard<'_, Option<Function>> {
        self.function.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a result; whether it is the only one that waits.
    fn add(&self, message: Message) -> bool {
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        messages.push(message);
        messages.len() == 1
    }

    /// Takes all results that wait.
    fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Message {
    deferred: Deferred,
    make: MakeValue,
}

thread_local! {
    /// The channel of the environment of this thread. A thread has one environment at a time.
    static CHANNEL: RefCell<Option<Arc<Channel>>> = const { RefCell::new(None) };
    /// Promises of this thread's environment that wait.
    static N_WAITING: Cell<usize> = const { Cell::new(0) };
}

/// Settles one promise from any thread.
pub struct Sender {
    deferred: Deferred,
    channel: Arc<Channel>,
}

impl Sender {
    /// Makes a promise and what settles it. Must be called on the JavaScript thread.
    pub fn new(env: &Env) -> Result<(Self, Object<'_>)> {
        let channel = channel_of(env)?;
        let (mut deferred, mut promise) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `env` is the live environment of this thread, both places are writable.
        check_status!(unsafe { sys::napi_create_promise(env.raw(), &mut deferred, &mut promise) })?;
        if N_WAITING.replace(N_WAITING.get() + 1) == 0 {
            set_referenced(env.raw(), &channel, true);
        }
        let sender = Self {
            deferred: Deferred(deferred),
            channel,
        };
        Ok((sender, Object::from_raw(env.raw(), promise)))
    }

    /// Resolves the promise with a value that is converted on the JavaScript thread.
    pub fn send<T: ToNapiValue + Send + 'static>(self, value: T) {
        // SAFETY: the closure is called with the live environment, on its own thread.
        let make = move |env| unsafe { T::to_napi_value(env, value) };
        let message = Message {
            deferred: self.deferred,
            make: Box::new(make),
        };
        let function = self.channel.function();
        let Some(Function(function)) = function.as_ref() else {
            return;
        };
        if !self.channel.add(message) {
            return;
        }
        let mode = sys::ThreadsafeFunctionCallMode::nonblocking;
        // SAFETY: the function is not released while its lock is held, and it takes no data.
        let status =
            unsafe { sys::napi_call_threadsafe_function(*function, ptr::null_mut(), mode) };
        if status != sys::Status::napi_ok {
            // The environment is ending: nobody comes for what waits.
            drop(self.channel.take());
        }
    }
}

fn channel_of(env: &Env) -> Result<Arc<Channel>> {
    CHANNEL.with_borrow_mut(|slot| match slot {
        Some(channel) => Ok(Arc::clone(channel)),
        None => Ok(Arc::clone(slot.insert(open_channel(env.raw())?))),
    })
}

fn open_channel(env: sys::napi_env) -> Result<Arc<Channel>> {
    let mut name = ptr::null_mut();
    let text = c"serval";
    // SAFETY: `env` is live on this thread, the text is valid for its length.
    check_status!(unsafe {
        sys::napi_create_string_utf8(env, text.as_ptr(), text.count_bytes() as isize, &mut name)
    })?;
    let mut function = ptr::null_mut();
    // SAFETY: as above; `receive` has the signature Node calls, and needs no context.
    check_status!(unsafe {
        sys::napi_create_threadsafe_function(
            env,
            ptr::null_mut(),
            ptr::null_mut(),
            name,
            0,
            1,
            ptr::null_mut(),
            None,
            ptr::null_mut(),
            Some(receive),
            &mut function,
        )
    })?;
    // SAFETY: the function was just made in this environment.
    check_status!(unsafe { sys::napi_unref_threadsafe_function(env, function) })?;
    let channel = Arc::new(Channel {
        function: RwLock::new(Some(Function(function))),
        messages: Mutex::default(),
    });
    let data = Arc::into_raw(Arc::clone(&channel)).cast_mut().cast();
    // SAFETY: the hook takes back the count given to it here, once.
    check_status!(unsafe { sys::napi_add_env_cleanup_hook(env, Some(shut), data) })?;
    Ok(channel)
}

/// Takes the function away when the environment begins to shut down.
unsafe extern "C" fn shut(data: *mut c_void) {
    // SAFETY: `data` is the count that `open_channel` gave away, and Node calls a hook once.
    let channel = unsafe { Arc::from_raw(data.cast::<Channel>().cast_const()) };
    CHANNEL.with_borrow_mut(|slot| slot.take());
    N_WAITING.set(0);
    let function = channel
        .function
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    drop(channel.take());
    if let Some(Function(function)) = function {
        let mode = sys::ThreadsafeFunctionReleaseMode::abort;
        // SAFETY: no sender holds the function any more, and this was its only count.
        unsafe { sys::napi_release_threadsafe_function(function, mode) };
    }
}

/// Settles the promises whose results wait; Node calls it on the JavaScript thread, with no
/// environment while that ends.
unsafe extern "C" fn receive(
    env: sys::napi_env,
    _callback: sys::napi_value,
    _context: *mut c_void,
    _data: *mut c_void,
) {
    if env.is_null() {
        return;
    }
    let Some(channel) = CHANNEL.with_borrow(Clone::clone) else {
        return;
    };
    let messages = channel.take();
    let n_waiting = N_WAITING.get().saturating_sub(messages.len());
    N_WAITING.set(n_waiting);
    if n_waiting == 0 {
        set_referenced(env, &channel, false);
    }
    for Message { deferred, make } in messages {
        settle(env, deferred, make);
    }
}

/// Settles one promise; the handles that this takes are let go at once.
fn settle(env: sys::napi_env, deferred: Deferred, make: MakeValue) {
    let mut scope = ptr::null_mut();
    // SAFETY: `env` is live on this thread, and the scope is closed below, on it.
    let opened = unsafe { sys::napi_open_handle_scope(env, &mut scope) };
    resolve(env, deferred, make(env));
    if opened == sys::Status::napi_ok {
        // SAFETY: the scope was opened above, and none was opened in it that is still open.
        unsafe { sys::napi_close_handle_scope(env, scope) };
    }
}

fn resolve(env: sys::napi_env, Deferred(deferred): Deferred, value: Result<sys::napi_value>) {
    let status = match value {
        // SAFETY: `env` is live on this thread and the deferred was not settled before.
        Ok(value) => unsafe { sys::napi_resolve_deferred(env, deferred, value) },
        Err(error) => reject(env, deferred, error),
    };
    debug_assert_eq!(status, sys::Status::napi_ok, "a promise was settled twice");
}

fn reject(
    env: sys::napi_env,
    deferred: sys::napi_deferred,
    error: Error<Status>,
) -> sys::napi_status {
    // SAFETY: `env` is live on this thread.
    match unsafe { ToNapiValue::to_napi_value(env, error) } {
        // SAFETY: as above, and the deferred was not settled before.
        Ok(error) => unsafe { sys::napi_reject_deferred(env, deferred, error) },
        Err(_) => sys::Status::napi_generic_failure,
    }
}

/// Lets the channel keep the event loop alive, or not.
fn set_referenced(env: sys::napi_env, channel: &Channel, referenced: bool) {
    let function = channel.function();
    let Some(Function(function)) = function.as_ref() else {
        return;
    };
    // SAFETY: the function is not released while the lock is held; this is its thread.
    unsafe {
        if referenced {
            sys::napi_ref_threadsafe_function(env, *function);
        } else {
            sys::napi_unref_threadsafe_function(env, *function);
        }
    }
}
