// SPDX-License-Identifier: Apache-2.0
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// Ends loading and runs that it was given to, from any thread. Clones are the same token; several runs may have it.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicU32>);

impl CancelToken {
    pub fn new() -> Self {
        Self::default()
    }
    /// Ends what goes on with this token, and what begins with it later.
    pub fn cancel(&self) {
        self.0.store(1, Ordering::Release);
    }
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire) != 0
    }

    /// As the library wants it: valid as long as a clone of this is.
    pub(crate) fn address(&self) -> *const u32 {
        let counter: &AtomicU32 = &self.0;
        counter as *const AtomicU32 as *const u32
    }
}

/// A limit as the library wants it: 0 is none, so a shorter one than a millisecond is one.
pub(crate) fn milliseconds(limit: Option<Duration>) -> i64 {
    limit.map_or(0, |limit| i64::try_from(limit.as_millis()).unwrap_or(i64::MAX).max(1))
}
