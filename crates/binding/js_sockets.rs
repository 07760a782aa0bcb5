//! Descriptors of connections, for event loops of one process that give each other connections.
//! There are none where the system has no descriptors: the functions fail there.

use napi::bindgen_prelude::Result;
use napi_derive::napi;

/// A second descriptor of what one is open for; the caller closes it.
#[napi]
pub fn duplicate_descriptor(descriptor: i32) -> Result<i32> {
    sys::duplicate(descriptor).map_err(failure)
}

/// Two descriptors that are connected with each other; the caller closes them.
#[napi]
pub fn connected_descriptors() -> Result<Vec<i32>> {
    sys::connected().map(Vec::from).map_err(failure)
}

fn failure(error: std::io::Error) -> napi::Error {
    napi::Error::from_reason(error.to_string())
}

#[cfg(unix)]
mod sys {
    use std::io::Result;
    use std::os::fd::{BorrowedFd, IntoRawFd};
    use std::os::unix::net::UnixStream;

    pub(super) fn duplicate(descriptor: i32) -> Result<i32> {
        if descriptor < 0 {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: it is no less than zero, and the caller, on whose thread this runs, holds it open
        // until the call ends.
        let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
        Ok(descriptor.try_clone_to_owned()?.into_raw_fd())
    }

    pub(super) fn connected() -> Result<[i32; 2]> {
        let (one, other) = UnixStream::pair()?;
        Ok([one.into_raw_fd(), other.into_raw_fd()])
    }
}

#[cfg(not(unix))]
mod sys {
    use std::io::{ErrorKind, Result};

    pub(super) fn duplicate(_descriptor: i32) -> Result<i32> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(super) fn connected() -> Result<[i32; 2]> {
        Err(ErrorKind::Unsupported.into())
    }
}
