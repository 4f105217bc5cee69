// SPDX-License-Identifier: Apache-2.0
//! Runs trained PaddlePaddle models, by the library Coracle.
//!
//! ```no_run
//! use coracle::{Model, ModelOptions, Session, SessionOptions};
//!
//! fn main() -> coracle::Result<()> {
//!     let model = Model::load("ch_PP-OCRv4_det_infer", &ModelOptions::new())?;
//!     let mut session = Session::new(&model, &SessionOptions::new().threads(2))?;
//!     session.set_input(0, &[1, 3, 640, 640], &vec![0f32; 3 * 640 * 640])?;
//!     session.run()?;
//!     let output = session.output(0)?;
//!     println!("{:?}, the first value is {}", output.dims(), output.values::<f32>()?[0]);
//!     Ok(())
//! }
//! ```
//!
//! A [`Model`] is for any number of threads at once, a [`Session`] for one at a time, which the compiler checks. Results are
//! borrowed from their session, so it cannot run while they are looked at:
//!
//! ```compile_fail
//! # fn test(session: &mut coracle::Session<'_>) -> coracle::Result<()> {
//! let output = session.output(0)?;
//! session.run()?;
//! println!("{:?}", output.dims());
//! # Ok(())
//! # }
//! ```
//!
//! and what a session borrows outlives it:
//!
//! ```compile_fail
//! # fn test<'a>(session: &mut coracle::Session<'a>) -> coracle::Result<()> {
//! let values = vec![0f32; 4];
//! session.borrow_input(0, &[2, 2], &values)
//! # }
//! ```
#![warn(rust_2018_idioms)]

mod cancel;
mod element;
mod error;
mod model;
mod pool;
mod run;
mod session;
mod tensor;
#[cfg(feature = "vision")]
pub mod vision;

pub use cancel::CancelToken;
pub use element::{Element, ElementType, Number};
pub use error::{Error, Result, Status};
pub use model::{Model, ModelOptions, TensorInfo};
pub use pool::Pool;
pub use run::Run;
pub use session::{Memory, RunOptions, Session, SessionOptions};
pub use tensor::Tensor;

use coracle_sys as sys;
use std::path::Path;
use std::ptr::null;

/// The version of the library, "0.1.0".
pub fn version() -> String {
    unsafe { error::text_at(sys::coracle_version()) }
}

/// Threads of a session that has not been told how many.
pub fn default_threads() -> usize {
    usize::try_from(unsafe { sys::coracle_default_threads() }).unwrap_or(1)
}

/// Bytes that all models and sessions of this process hold.
pub fn memory_total() -> usize {
    unsafe { sys::coracle_memory_total() }
}

/// The devices of this machine beside the CPU, as JSON.
pub fn devices() -> Result<String> {
    error::given_text(|text| unsafe { sys::coracle_devices(text) })
}

/// Engines that may run parts of models, as JSON: those that are found.
pub fn engines() -> Result<String> {
    error::given_text(|text| unsafe { sys::coracle_engines(null(), text) })
}

/// Loads a shared library with operators of one's own, which models of this process may name from then on.
pub fn load_operators(path: impl AsRef<Path>) -> Result<()> {
    let path = error::c_path(path.as_ref())?;
    error::check(unsafe { sys::coracle_load_operators(path.as_ptr()) })
}

/// What is in a model that need not be runnable, as JSON.
pub fn inspect(path: impl AsRef<Path>) -> Result<String> {
    let path = error::c_path(path.as_ref())?;
    error::given_text(|text| unsafe { sys::coracle_inspect(path.as_ptr(), null(), text) })
}
