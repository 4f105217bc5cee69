// SPDX-License-Identifier: Apache-2.0
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::Path;
use std::ptr::{null, null_mut, NonNull};
use std::sync::Arc;
use std::time::Duration;

use coracle_sys as sys;

use crate::cancel::{milliseconds, CancelToken};
use crate::element::ElementType;
use crate::error::{c_path, check, given_text, text_at, OptionTexts, Result};

/// How a model is loaded. What each option does stands in `coracle.h` (`coracle_model_options`).
#[derive(Clone, Debug, Default)]
pub struct ModelOptions {
    params: Option<std::path::PathBuf>,
    cpu_isa: Option<String>,
    disable_passes: Option<String>,
    disable_kernels: Option<String>,
    keep_tensors: Option<String>,
    precision: Option<String>,
    weights: Option<String>,
    device: Option<String>,
    engines: Option<String>,
    marks: Option<String>,
    shapes: Option<String>,
    min_ops: Option<i64>,
    weights_cache_bytes: Option<usize>,
    time_limit: Option<Duration>,
    cancel: Option<CancelToken>,
    check_declared_sizes: bool,
    check_weights: bool,
    allow_outside_links: bool,
}

macro_rules! text_options {
    ($($(#[$doc:meta])* $name:ident),*) => {
        $($(#[$doc])*
        pub fn $name(mut self, value: impl Into<String>) -> Self {
            self.$name = Some(value.into());
            self
        })*
    };
}

macro_rules! switches {
    ($($(#[$doc:meta])* $name:ident),*) => {
        $($(#[$doc])*
        pub fn $name(mut self, on: bool) -> Self {
            self.$name = on;
            self
        })*
    };
}

impl ModelOptions {
    pub fn new() -> Self {
        Self::default()
    }

    text_options!(
        /// The widest instruction set to use: `"sse2"`, `"avx2"`.
        cpu_isa,
        /// Rewrites to leave out, separated by commas; `"all"`.
        disable_passes,
        /// Prefixes of kernel names to leave out, separated by commas.
        disable_kernels,
        /// Variables to keep for [`Session::tensor`](crate::Session::tensor), separated by commas; `"*"`.
        keep_tensors,
        /// `"strict"`, `"default"`, `"high"`, `"tf32"`, `"bf16"`, `"fp16"` or `"int8"`.
        precision,
        /// `"copied"`, `"mapped"` or `"automatic"`.
        weights,
        /// `"opencl"`, `"cuda:1"`, `"cuda?"`.
        device,
        /// Engines that run parts of the model, separated by commas.
        engines,
        /// Operators that go to an engine, separated by commas.
        marks,
        /// Sizes that inputs have, for which engines compile once.
        shapes
    );
    switches!(
        /// Inputs must have the fixed sizes that the model declares.
        check_declared_sizes,
        /// Weights of a saved model are compared with their checksums.
        check_weights,
        /// Parameter files may be links out of the model's folder.
        allow_outside_links
    );

    /// The parameter file, where Paddle's naming rules do not find it.
    pub fn params(mut self, path: impl AsRef<Path>) -> Self {
        self.params = Some(path.as_ref().to_owned());
        self
    }
    /// Operators of a block of an engine at least.
    pub fn min_ops(mut self, count: i64) -> Self {
        self.min_ops = Some(count);
        self
    }
    /// Bound on the packed weights that the model keeps.
    pub fn weights_cache_bytes(mut self, bytes: usize) -> Self {
        self.weights_cache_bytes = Some(bytes);
        self
    }
    /// Bound on the time of loading.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }
    /// Ends loading with [`Status::Cancelled`](crate::Status::Cancelled).
    pub fn cancel(mut self, token: &CancelToken) -> Self {
        self.cancel = Some(token.clone());
        self
    }

    fn to_c(&self, texts: &mut OptionTexts) -> Result<sys::coracle_model_options> {
        let mut c = unsafe {
            let mut c = std::mem::zeroed::<sys::coracle_model_options>();
            sys::coracle_model_options_init(&mut c, std::mem::size_of_val(&c));
            c
        };
        c.cpu_isa = texts.add(&self.cpu_isa)?;
        c.disable_passes = texts.add(&self.disable_passes)?;
        c.disable_kernels = texts.add(&self.disable_kernels)?;
        c.keep_tensors = texts.add(&self.keep_tensors)?;
        c.precision = texts.add(&self.precision)?;
        c.weights = texts.add(&self.weights)?;
        c.device = texts.add(&self.device)?;
        c.engines = texts.add(&self.engines)?;
        c.marks = texts.add(&self.marks)?;
        c.shapes = texts.add(&self.shapes)?;
        c.min_ops = self.min_ops.unwrap_or(c.min_ops);
        c.weights_cache_bytes = self.weights_cache_bytes.unwrap_or(c.weights_cache_bytes);
        c.time_limit_ms = milliseconds(self.time_limit);
        c.cancelled = self.cancel.as_ref().map_or(null(), CancelToken::address);
        c.check_declared_sizes = self.check_declared_sizes.into();
        c.check_weights = self.check_weights.into();
        c.allow_outside_links = self.allow_outside_links.into();
        Ok(c)
    }
}

/// Name and type of an input or output of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    pub name: String,
    pub element_type: ElementType,
    /// A dimension of -1 is free; none are known before a run where this is `None`.
    pub dims: Option<Vec<i64>>,
    /// Levels of sequence offsets an input takes.
    pub lod_levels: usize,
}

struct Handle {
    model: NonNull<sys::coracle_model>,
    _bytes: Vec<Vec<u8>>, // that it was loaded from, where they are not in files
}

// coracle.h: a model is immutable and may be used by any number of threads at once.
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::coracle_model_free(self.model.as_ptr()) }
    }
}

/// A loaded model. It never changes and is for any number of threads at once; clones are the same model.
#[derive(Clone)]
pub struct Model(Arc<Handle>);

impl Model {
    /// From a folder, an archive of one (.tar, .tar.gz, .zip), one of its files or a saved model.
    pub fn load(path: impl AsRef<Path>, options: &ModelOptions) -> Result<Model> {
        let mut texts = OptionTexts::default();
        let c = options.to_c(&mut texts)?;
        let path = texts.keep(c_path(path.as_ref())?);
        let params = options.params_path(&mut texts)?;
        let mut model = null_mut();
        check(unsafe { sys::coracle_model_load(path, params, &c, &mut model) })?;
        Ok(Model::new(model, Vec::new()))
    }

    /// From the bytes of a program and of its parameters, which may be empty.
    pub fn from_bytes(program: Vec<u8>, params: Vec<u8>, options: &ModelOptions) -> Result<Model> {
        let mut texts = OptionTexts::default();
        let c = options.to_c(&mut texts)?;
        let mut model = null_mut();
        let data = |bytes: &Vec<u8>| if bytes.is_empty() { null() } else { bytes.as_ptr().cast::<c_void>() };
        let status = unsafe {
            sys::coracle_model_load_memory(data(&program), program.len(), data(&params), params.len(), &c, &mut model)
        };
        check(status)?;
        Ok(Model::new(model, vec![program, params]))
    }

    /// From files that a function gives, by their names; `None` says that there is no such file. A panic in it ends
    /// loading and goes on from here.
    pub fn read_by<F>(path: impl AsRef<Path>, options: &ModelOptions, read: F) -> Result<Model>
    where
        F: FnMut(&Path) -> Option<Vec<u8>>,
    {
        let mut texts = OptionTexts::default();
        let c = options.to_c(&mut texts)?;
        let path = texts.keep(c_path(path.as_ref())?);
        let params = options.params_path(&mut texts)?;
        let mut reading = Reading { read, bytes: Vec::new(), panic: None };
        let user = (&mut reading as *mut Reading<F>).cast();
        let mut model = null_mut();
        let status =
            unsafe { sys::coracle_model_load_callback(path, params, Some(read_file::<F>), user, &c, &mut model) };
        if let Some(panic) = reading.panic {
            unsafe { sys::coracle_model_free(model) };
            resume_unwind(panic);
        }
        check(status)?;
        Ok(Model::new(model, reading.bytes))
    }

    fn new(model: *mut sys::coracle_model, bytes: Vec<Vec<u8>>) -> Model {
        Model(Arc::new(Handle { model: NonNull::new(model).expect("a model that was loaded"), _bytes: bytes }))
    }

    pub(crate) fn handle(&self) -> *const sys::coracle_model {
        self.0.model.as_ptr()
    }

    pub fn inputs(&self) -> Result<Vec<TensorInfo>> {
        let count = unsafe { sys::coracle_model_input_count(self.handle()) };
        (0..count).map(|index| info(|info| unsafe { sys::coracle_model_input(self.handle(), index, info) })).collect()
    }
    pub fn outputs(&self) -> Result<Vec<TensorInfo>> {
        let count = unsafe { sys::coracle_model_output_count(self.handle()) };
        (0..count).map(|index| info(|info| unsafe { sys::coracle_model_output(self.handle(), index, info) })).collect()
    }
    /// The index of the input of that name.
    pub fn find_input(&self, name: &str) -> Option<usize> {
        let name = crate::error::c_text(name).ok()?;
        usize::try_from(unsafe { sys::coracle_model_find_input(self.handle(), name.as_ptr()) }).ok()
    }
    /// The index of the output of that name.
    pub fn find_output(&self, name: &str) -> Option<usize> {
        let name = crate::error::c_text(name).ok()?;
        usize::try_from(unsafe { sys::coracle_model_find_output(self.handle(), name.as_ptr()) }).ok()
    }
    /// What is in the model, as JSON.
    pub fn description(&self) -> String {
        unsafe { text_at(sys::coracle_model_description(self.handle())) }
    }
    /// The graph after rewriting.
    pub fn graph_text(&self) -> Result<String> {
        given_text(|text| unsafe { sys::coracle_model_graph_text(self.handle(), text) })
    }
    /// Which engines the model uses and for what, as JSON.
    pub fn engines(&self) -> Result<String> {
        given_text(|text| unsafe { sys::coracle_model_engines(self.handle(), text) })
    }
    /// Writes it, as it is after rewriting, to one file that loads like any model.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        check(unsafe { sys::coracle_model_save(self.handle(), path.as_ptr()) })
    }
    /// The same with the packed weights of the runs so far, or what engines have compiled.
    pub fn save_packed(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        check(unsafe { sys::coracle_model_save_packed(self.handle(), path.as_ptr()) })
    }
    /// Fails unless the files that it was loaded from are, by size and time, as they were.
    pub fn check_files(&self) -> Result<()> {
        check(unsafe { sys::coracle_model_check(self.handle()) })
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("inputs", &self.inputs()).field("outputs", &self.outputs()).finish()
    }
}

impl ModelOptions {
    fn params_path(&self, texts: &mut OptionTexts) -> Result<*const c_char> {
        match &self.params {
            None => Ok(null()),
            Some(path) => Ok(texts.keep(c_path(path)?)),
        }
    }
}

fn info(get: impl FnOnce(*mut sys::coracle_tensor_info) -> sys::coracle_status) -> Result<TensorInfo> {
    let mut c = unsafe { std::mem::zeroed::<sys::coracle_tensor_info>() };
    check(get(&mut c))?;
    Ok(TensorInfo {
        name: unsafe { text_at(c.name) },
        element_type: ElementType::from_number(c.dtype)?,
        dims: usize::try_from(c.rank).ok().map(|rank| c.dims[..rank].to_vec()),
        lod_levels: usize::try_from(c.lod_levels).unwrap_or(0),
    })
}

struct Reading<F> {
    read: F,
    bytes: Vec<Vec<u8>>,
    panic: Option<Box<dyn std::any::Any + Send>>,
}

unsafe extern "C" fn read_file<F: FnMut(&Path) -> Option<Vec<u8>>>(
    user: *mut c_void,
    name: *const c_char,
    data: *mut *const c_void,
    size: *mut usize,
) -> c_int {
    let reading = &mut *user.cast::<Reading<F>>();
    if reading.panic.is_some() {
        return 1;
    }
    let name = CStr::from_ptr(name).to_bytes();
    #[cfg(unix)]
    let name = Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name));
    #[cfg(not(unix))]
    let name = std::str::from_utf8(name).ok();
    let read = &mut reading.read;
    match catch_unwind(AssertUnwindSafe(|| name.and_then(|name| read(Path::new(name))))) {
        Ok(Some(bytes)) => {
            *data = bytes.as_ptr().cast();
            *size = bytes.len();
            reading.bytes.push(bytes);
            0
        }
        Ok(None) => 1,
        Err(panic) => {
            reading.panic = Some(panic);
            1
        }
    }
}
