// SPDX-License-Identifier: Apache-2.0
package native

import (
	"runtime"
	"sync"
	"unsafe"
)

// Handle owns an object of the library's. It is freed once: by Close, when no call uses it any more, or after the last
// reference to the handle is gone.
type Handle struct {
	name   string
	free   func(unsafe.Pointer)
	mu     sync.Mutex
	object unsafe.Pointer // nil once it is closed
	calls  int            // that use it now
	last   unsafe.Pointer // is freed by the last of them
}

// NewHandle takes an object; name is what errors call it.
func NewHandle(name string, object unsafe.Pointer, free func(unsafe.Pointer)) *Handle {
	h := &Handle{name: name, object: object, free: free}
	runtime.SetFinalizer(h, (*Handle).Close)
	return h
}

// Use calls f with the object, which stays until f returns. It is an error when the handle is closed.
func (h *Handle) Use(f func(object unsafe.Pointer) error) error {
	if h == nil {
		return Invalid("nothing was made here: the value is nil or was not made by its function")
	}
	h.mu.Lock()
	object := h.object
	if object == nil {
		h.mu.Unlock()
		return &Error{Status: InvalidArgument, Message: h.name + " is closed", Cause: ErrClosed}
	}
	h.calls++
	h.mu.Unlock()
	defer h.release()
	return f(object)
}

func (h *Handle) release() {
	h.mu.Lock()
	h.calls--
	var object unsafe.Pointer
	if h.calls == 0 {
		object, h.last = h.last, nil
	}
	h.mu.Unlock()
	if object != nil {
		h.free(object)
	}
}

// Close frees the object, or leaves that to the last call that uses it. Closing again does nothing.
func (h *Handle) Close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	object := h.object
	h.object = nil
	if h.calls > 0 {
		object, h.last = nil, object
	}
	h.mu.Unlock()
	if object != nil {
		runtime.SetFinalizer(h, nil)
		h.free(object)
	}
}

type closedError struct{}

func (closedError) Error() string { return "closed" }

// ErrClosed is what errors.Is finds in errors of calls for what was closed.
var ErrClosed error = closedError{}
