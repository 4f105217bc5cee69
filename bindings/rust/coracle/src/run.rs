// SPDX-License-Identifier: Apache-2.0
use std::future::Future;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use coracle_sys as sys;

use crate::cancel::CancelToken;
use crate::error::{check, Result};
use crate::session::{RunOptions, Session};

#[derive(Default)]
struct State {
    ended: Option<Result<()>>,
    waker: Option<Waker>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    told: Condvar,
    _cancel: Option<CancelToken>, // the library looks at it until the run has ended
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run that goes on in a thread of the library's, with the session that it belongs to. Wait for it or await it: both
/// give the session back. Dropping it cancels the run and waits for its end.
#[must_use = "dropping it cancels the run"]
pub struct Run {
    session: Option<Session<'static>>,
    shared: Arc<Shared>,
}

impl Session<'static> {
    /// Starts a run and returns. It is told of by what is returned, also where it could not be started. Inputs and
    /// outputs are not borrowed (`'static`), since nothing keeps a forgotten [`Run`] from going on.
    pub fn run_async(self, options: &RunOptions) -> Run {
        let shared = Arc::new(Shared { _cancel: options.cancel.clone(), ..Shared::default() });
        let user = Arc::into_raw(Arc::clone(&shared));
        let status =
            unsafe { sys::coracle_session_run_async(self.handle(), &options.to_c(), Some(ended), user as *mut c_void) };
        if let Err(error) = check(status) {
            drop(unsafe { Arc::from_raw(user) }); // nobody will be told
            shared.state().ended = Some(Err(error));
        }
        Run { session: Some(self), shared }
    }
}

impl Run {
    /// Returns when the run has ended: its session, and what it failed with.
    pub fn wait(mut self) -> (Session<'static>, Result<()>) {
        let mut state = self.shared.state();
        let result = loop {
            match state.ended.take() {
                Some(result) => break result,
                None => state = self.shared.told.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(state);
        (self.session.take().expect("a run that was not awaited before"), result)
    }
    /// Whether waiting for it would return at once.
    pub fn has_ended(&self) -> bool {
        self.shared.state().ended.is_some()
    }
    /// Ends the run with [`Status::Cancelled`](crate::Status::Cancelled), unless it is about to end.
    pub fn cancel(&self) {
        if let Some(session) = &self.session {
            unsafe { sys::coracle_session_cancel(session.handle()) };
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.cancel(); // the session then waits for the end
    }
}

impl Future for Run {
    type Output = (Session<'static>, Result<()>);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let result = {
            let mut state = self.shared.state();
            match state.ended.take() {
                Some(result) => result,
                None => {
                    state.waker = Some(context.waker().clone());
                    return Poll::Pending;
                }
            }
        };
        Poll::Ready((self.session.take().expect("a run that was not awaited before"), result))
    }
}

unsafe extern "C" fn ended(user: *mut c_void, status: sys::coracle_status) {
    let shared = Arc::from_raw(user as *const Shared);
    let result = check(status);
    let waker = {
        let mut state = shared.state();
        state.ended = Some(result);
        state.waker.take()
    };
    shared.told.notify_all();
    if let Some(waker) = waker {
        let _ = catch_unwind(AssertUnwindSafe(|| waker.wake())); // what panics there ends here
    }
}
