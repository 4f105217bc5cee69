// SPDX-License-Identifier: Apache-2.0
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::ptr::{null, null_mut, NonNull};
use std::time::Duration;

use coracle_sys as sys;

use crate::cancel::{milliseconds, CancelToken};
use crate::element::{Element, ElementType, Number};
use crate::error::{c_text, check, given_text, text_at, Error, OptionTexts, Result};
use crate::model::Model;
use crate::pool::{number, Pool};
use crate::tensor::Tensor;

/// How a session runs. What each option does stands in `coracle.h` (`coracle_session_options`).
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    threads: usize,
    cache_bytes: Option<usize>,
    memory_limit: usize,
    time_limit: Option<Duration>,
    pool: Option<Pool>,
    cpus: Option<String>,
    parallel_engines: Option<usize>,
    padding: Option<String>,
}

impl SessionOptions {
    pub fn new() -> Self {
        Self::default()
    }
    /// Threads of one run at most; 0: those of the pool, or [`default_threads`](crate::default_threads).
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }
    /// Bound on the plans that the model keeps.
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = Some(bytes);
        self
    }
    /// Bound on what a run holds, in bytes; 0: none.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }
    /// Bound on the time of a run.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }
    /// The pool whose threads help.
    pub fn pool(mut self, pool: &Pool) -> Self {
        self.pool = Some(pool.clone());
        self
    }
    /// Processors for the session's threads: `"0-3"`, `"node1"`.
    pub fn cpus(mut self, cpus: impl Into<String>) -> Self {
        self.cpus = Some(cpus.into());
        self
    }
    /// Parts of a run at the same time at most.
    pub fn parallel_engines(mut self, parts: usize) -> Self {
        self.parallel_engines = Some(parts);
        self
    }
    /// Sizes that inputs are padded to: `"ids=1..10x32..128/32"`.
    pub fn padding(mut self, sizes: impl Into<String>) -> Self {
        self.padding = Some(sizes.into());
        self
    }
}

/// What holds for one run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    time_limit: Option<Duration>,
    memory_limit: usize,
    pub(crate) cancel: Option<CancelToken>,
}

impl RunOptions {
    pub fn new() -> Self {
        Self::default()
    }
    /// Bound on the time of the run from the call on.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }
    /// Bound on what the run holds, in bytes; 0: the session's.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }
    /// Ends the run with [`Status::Cancelled`](crate::Status::Cancelled).
    pub fn cancel(mut self, token: &CancelToken) -> Self {
        self.cancel = Some(token.clone());
        self
    }

    /// Valid as long as these options are.
    pub(crate) fn to_c(&self) -> sys::coracle_run_options {
        let mut c = unsafe { std::mem::zeroed::<sys::coracle_run_options>() };
        unsafe { sys::coracle_run_options_init(&mut c, std::mem::size_of_val(&c)) };
        c.time_limit_ms = milliseconds(self.time_limit);
        c.memory_limit = self.memory_limit;
        c.cancelled = self.cancel.as_ref().map_or(null(), CancelToken::address);
        c
    }
}

/// Bytes that a session holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Intermediate tensors and scratch.
    pub arena: usize,
    /// The plans that its last run used.
    pub plans: usize,
}

/// Runs a model. It goes from thread to thread, but belongs to one at a time; for runs at the same time there are several
/// sessions of one model. `'a` is how long the memory lives that inputs and outputs were borrowed from.
pub struct Session<'a> {
    handle: NonNull<sys::coracle_session>,
    model: Model, // the bytes that it was loaded from stay as well
    borrowed: PhantomData<&'a mut [u8]>,
}

// coracle.h: a session may be used by one thread at a time. NonNull keeps it from being Sync.
unsafe impl Send for Session<'_> {}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        unsafe { sys::coracle_session_free(self.handle.as_ptr()) }
    }
}

impl<'a> Session<'a> {
    pub fn new(model: &Model, options: &SessionOptions) -> Result<Session<'a>> {
        let mut texts = OptionTexts::default();
        let mut c = unsafe { std::mem::zeroed::<sys::coracle_session_options>() };
        unsafe { sys::coracle_session_options_init(&mut c, std::mem::size_of_val(&c)) };
        c.threads = number(options.threads);
        c.cache_bytes = options.cache_bytes.unwrap_or(c.cache_bytes);
        c.memory_limit = options.memory_limit;
        c.time_limit_ms = milliseconds(options.time_limit);
        c.pool = options.pool.as_ref().map_or(null(), Pool::handle);
        c.cpus = texts.add(&options.cpus)?;
        c.parallel_engines = options.parallel_engines.map_or(c.parallel_engines, number);
        c.padding = texts.add(&options.padding)?;
        let mut session = null_mut();
        check(unsafe { sys::coracle_session_create(model.handle(), &c, &mut session) })?;
        Ok(Session::from_handle(session, model))
    }

    /// A second session with the same model and options, without its inputs.
    pub fn try_clone<'b>(&self) -> Result<Session<'b>> {
        let mut session = null_mut();
        check(unsafe { sys::coracle_session_clone(self.handle(), &mut session) })?;
        Ok(Session::from_handle(session, &self.model))
    }

    fn from_handle<'b>(session: *mut sys::coracle_session, model: &Model) -> Session<'b> {
        let handle = NonNull::new(session).expect("a session that was made");
        Session { handle, model: model.clone(), borrowed: PhantomData }
    }

    pub(crate) fn handle(&self) -> *mut sys::coracle_session {
        self.handle.as_ptr()
    }
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Sets an input by copying. Inputs keep their content from run to run.
    pub fn set_input<T: Element>(&mut self, index: usize, dims: &[i64], values: &[T]) -> Result<()> {
        expect_count(dims, values.len())?;
        let (rank, data) = (dims.len() as i32, values.as_ptr().cast::<c_void>());
        check(unsafe {
            sys::coracle_session_set_input(self.handle(), index, T::TYPE.number(), rank, dims.as_ptr(), data)
        })
    }

    /// Sets an input of any element type by copying the bytes of its elements.
    pub fn set_input_bytes(&mut self, index: usize, of: ElementType, dims: &[i64], bytes: &[u8]) -> Result<()> {
        if bytes.len() % of.size() != 0 {
            return Err(Error::invalid(format!("{} bytes are no whole number of {}", bytes.len(), of)));
        }
        expect_count(dims, bytes.len() / of.size())?;
        let (rank, data) = (dims.len() as i32, bytes.as_ptr().cast::<c_void>());
        check(unsafe { sys::coracle_session_set_input(self.handle(), index, of.number(), rank, dims.as_ptr(), data) })
    }

    /// Sets an input without copying.
    pub fn borrow_input<T: Element>(&mut self, index: usize, dims: &[i64], values: &'a [T]) -> Result<()> {
        expect_count(dims, values.len())?;
        let (rank, data) = (dims.len() as i32, values.as_ptr().cast::<c_void>());
        check(unsafe {
            sys::coracle_session_borrow_input(self.handle(), index, T::TYPE.number(), rank, dims.as_ptr(), data)
        })
    }

    /// Sets the sequence offsets of an input that was set before, coarsest level first; none take them away.
    pub fn set_input_lod(&mut self, index: usize, lod: &[Vec<usize>]) -> Result<()> {
        let sizes: Vec<usize> = lod.iter().map(Vec::len).collect();
        let offsets = lod.concat();
        check(unsafe {
            sys::coracle_session_set_input_lod(self.handle(), index, lod.len(), sizes.as_ptr(), offsets.as_ptr())
        })
    }

    /// From the next run on an output is in these elements: without a copy, if they begin at a multiple of 64.
    pub fn bind_output<T: Number>(&mut self, index: usize, elements: &'a mut [T]) -> Result<()> {
        let bytes = std::mem::size_of_val(elements);
        check(unsafe { sys::coracle_session_bind_output(self.handle(), index, elements.as_mut_ptr().cast(), bytes) })
    }
    /// From the next run on an output is in the session's own memory, as at the start.
    pub fn unbind_output(&mut self, index: usize) -> Result<()> {
        check(unsafe { sys::coracle_session_bind_output(self.handle(), index, null_mut(), 0) })
    }

    pub fn run(&mut self) -> Result<()> {
        check(unsafe { sys::coracle_session_run(self.handle()) })
    }
    /// With options that hold for this run alone.
    pub fn run_with(&mut self, options: &RunOptions) -> Result<()> {
        check(unsafe { sys::coracle_session_run_with(self.handle(), &options.to_c()) })
    }

    /// A result of the last run.
    pub fn output(&self, index: usize) -> Result<Tensor<'_>> {
        let mut view = unsafe { std::mem::zeroed::<sys::coracle_tensor_view>() };
        check(unsafe { sys::coracle_session_output(self.handle(), index, &mut view) })?;
        let mut lod = Vec::new();
        for level in 0..view.lod_levels {
            let (mut offsets, mut size) = (null(), 0);
            check(unsafe { sys::coracle_session_output_lod(self.handle(), index, level, &mut offsets, &mut size) })?;
            lod.push(if size == 0 {
                Vec::new()
            } else {
                unsafe { std::slice::from_raw_parts(offsets, size) }.to_vec()
            });
        }
        unsafe { Tensor::new(&view, lod) }
    }
    /// A variable kept by [`ModelOptions::keep_tensors`](crate::ModelOptions::keep_tensors).
    pub fn tensor(&self, name: &str) -> Result<Tensor<'_>> {
        let name = c_text(name)?;
        let mut view = unsafe { std::mem::zeroed::<sys::coracle_tensor_view>() };
        check(unsafe { sys::coracle_session_tensor(self.handle(), name.as_ptr(), &mut view) })?;
        unsafe { Tensor::new(&view, Vec::new()) }
    }

    /// Turns per-operator timing on or off.
    pub fn set_profiling(&mut self, on: bool) -> Result<()> {
        check(unsafe { sys::coracle_session_set_profiling(self.handle(), on.into()) })
    }
    /// The timings of the last run, as JSON.
    pub fn profile(&self) -> Result<String> {
        let mut json = null();
        check(unsafe { sys::coracle_session_profile(self.handle(), &mut json) })?;
        Ok(unsafe { text_at(json) })
    }
    /// The kernel of each node for the inputs set now, as JSON.
    pub fn explain(&mut self) -> Result<String> {
        let mut json = null();
        check(unsafe { sys::coracle_session_explain(self.handle(), &mut json) })?;
        Ok(unsafe { text_at(json) })
    }
    /// The graph with the shapes that follow from the inputs set now.
    pub fn graph_text(&mut self) -> Result<String> {
        given_text(|text| unsafe { sys::coracle_session_graph_text(self.handle(), text) })
    }
    /// Bytes of the tensors that a run with the inputs set now would take.
    pub fn planned_memory(&mut self) -> Result<usize> {
        let mut bytes = 0;
        check(unsafe { sys::coracle_session_planned_memory(self.handle(), &mut bytes) })?;
        Ok(bytes)
    }
    pub fn memory(&self) -> Result<Memory> {
        let mut c = sys::coracle_memory { arena: 0, plans: 0 };
        check(unsafe { sys::coracle_session_memory(self.handle(), &mut c) })?;
        Ok(Memory { arena: c.arena, plans: c.plans })
    }
    /// Gives back what can be made again, and says about how many bytes that was.
    pub fn release_memory(&mut self) -> Result<usize> {
        let mut bytes = 0;
        check(unsafe { sys::coracle_session_release_memory(self.handle(), &mut bytes) })?;
        Ok(bytes)
    }
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("model", &self.model).finish()
    }
}

fn expect_count(dims: &[i64], given: usize) -> Result<()> {
    let product = dims.iter().try_fold(1usize, |product, dim| product.checked_mul(usize::try_from(*dim).ok()?));
    if product == Some(given) && dims.len() <= sys::CORACLE_MAX_RANK {
        return Ok(());
    }
    Err(match product {
        Some(_) if dims.len() > sys::CORACLE_MAX_RANK => Error::invalid(format!(
            "the shape {:?} has {} dimensions, which may be {} at most",
            dims,
            dims.len(),
            sys::CORACLE_MAX_RANK
        )),
        Some(count) => Error::invalid(format!("the shape {:?} has {} elements, given {}", dims, count, given)),
        None => Error::invalid(format!("the shape {:?} is none that a tensor has", dims)),
    })
}
