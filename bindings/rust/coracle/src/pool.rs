// SPDX-License-Identifier: Apache-2.0
use std::ptr::{null_mut, NonNull};
use std::sync::Arc;

use coracle_sys as sys;

use crate::error::{c_text, check, Result};

struct Handle(NonNull<sys::coracle_pool>);

// coracle.h: runs of several sessions, in any threads, share a pool.
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::coracle_pool_free(self.0.as_ptr()) }
    }
}

/// Threads that runs of several sessions share. Clones are the same pool; sessions keep its threads alive.
#[derive(Clone)]
pub struct Pool(Arc<Handle>);

impl Pool {
    /// `threads` in all, each run's calling thread included; 0: [`default_threads`](crate::default_threads).
    pub fn new(threads: usize) -> Result<Pool> {
        let mut pool = null_mut();
        check(unsafe { sys::coracle_pool_create(number(threads), &mut pool) })?;
        Ok(Pool::from_handle(pool))
    }
    /// On the processors `cpus` only: `"0-3,8"` or `"node1"`.
    pub fn on(cpus: &str, threads: usize) -> Result<Pool> {
        let cpus = c_text(cpus)?;
        let mut pool = null_mut();
        check(unsafe { sys::coracle_pool_create_on(cpus.as_ptr(), number(threads), &mut pool) })?;
        Ok(Pool::from_handle(pool))
    }
    /// How many threads it has, those of callers included.
    pub fn threads(&self) -> usize {
        usize::try_from(unsafe { sys::coracle_pool_threads(self.handle()) }).unwrap_or(0)
    }

    fn from_handle(pool: *mut sys::coracle_pool) -> Pool {
        Pool(Arc::new(Handle(NonNull::new(pool).expect("a pool that was made"))))
    }
    pub(crate) fn handle(&self) -> *const sys::coracle_pool {
        self.0 .0.as_ptr()
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("threads", &self.threads()).finish()
    }
}

/// What the library refuses where it is too large.
pub(crate) fn number(threads: usize) -> i32 {
    i32::try_from(threads).unwrap_or(i32::MAX)
}
