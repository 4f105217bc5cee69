// SPDX-License-Identifier: Apache-2.0
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;
use std::path::Path;

use coracle_sys as sys;

/// What kind of failure an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// A wrong name, shape, element type or option; a missing input.
    InvalidArgument,
    /// The model file is damaged or contradicts itself.
    InvalidModel,
    /// An operator or feature that does not exist here.
    Unsupported,
    /// A file cannot be read, or has changed.
    Io,
    /// Memory or a set limit is exhausted.
    OutOfMemory,
    /// A run failed on its data.
    RunFailure,
    /// Somebody cancelled it.
    Cancelled,
    /// A kind that only a newer library knows.
    Other,
}

impl Status {
    fn from_number(number: sys::coracle_status) -> Status {
        match number {
            sys::CORACLE_INVALID_ARGUMENT => Status::InvalidArgument,
            sys::CORACLE_INVALID_MODEL => Status::InvalidModel,
            sys::CORACLE_UNSUPPORTED => Status::Unsupported,
            sys::CORACLE_IO => Status::Io,
            sys::CORACLE_OUT_OF_MEMORY => Status::OutOfMemory,
            sys::CORACLE_RUN_FAILURE => Status::RunFailure,
            sys::CORACLE_CANCELLED => Status::Cancelled,
            _ => Status::Other,
        }
    }
}

/// A failure, with a message that names file, operator and tensor.
#[derive(Clone, Debug)]
pub struct Error {
    status: Status,
    message: String,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn status(&self) -> Status {
        self.status
    }

    pub(crate) fn invalid(message: String) -> Error {
        Error { status: Status::InvalidArgument, message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// What a call of this thread has just returned.
pub(crate) fn check(status: sys::coracle_status) -> Result<()> {
    if status == sys::CORACLE_OK {
        return Ok(());
    }
    let message = unsafe { text_at(sys::coracle_last_error()) };
    Err(Error { status: Status::from_number(status), message })
}

/// A copy of a text of the library's; empty for null.
pub(crate) unsafe fn text_at(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

/// A text that a function gives to its caller.
pub(crate) fn given_text(call: impl FnOnce(*mut *mut c_char) -> sys::coracle_status) -> Result<String> {
    let mut text = std::ptr::null_mut();
    check(call(&mut text))?;
    let copy = unsafe { text_at(text) };
    unsafe { sys::coracle_string_free(text) };
    Ok(copy)
}

pub(crate) fn c_text(text: &str) -> Result<CString> {
    CString::new(text)
        .map_err(|_| Error::invalid(format!("{:?} has a zero byte, which no name or option may have", text)))
}

pub(crate) fn c_path(path: &Path) -> Result<CString> {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
    #[cfg(not(unix))]
    let bytes = path.to_str().ok_or_else(|| Error::invalid(format!("{} is not UTF-8", path.display())))?.as_bytes();
    CString::new(bytes).map_err(|_| Error::invalid(format!("{:?} has a zero byte, which no path may have", path)))
}

/// Texts of options: each becomes a pointer that is valid as long as this is, or null.
#[derive(Default)]
pub(crate) struct OptionTexts(Vec<CString>);

impl OptionTexts {
    pub(crate) fn add(&mut self, text: &Option<String>) -> Result<*const c_char> {
        match text {
            None => Ok(std::ptr::null()),
            Some(text) => Ok(self.keep(c_text(text)?)),
        }
    }

    pub(crate) fn keep(&mut self, text: CString) -> *const c_char {
        self.0.push(text);
        self.0[self.0.len() - 1].as_ptr()
    }
}
