// SPDX-License-Identifier: Apache-2.0

// Package native is what the packages over the C interface share: errors, handles and texts.
package native

/*
#cgo pkg-config: coracle
#include <coracle/coracle.h>
*/
import "C"

import (
	"runtime"
)

// Status says what kind of failure an Error is. It is an error itself, so that errors.Is(err, coracle.Cancelled) finds it.
type Status int

const (
	InvalidArgument Status = C.CORACLE_INVALID_ARGUMENT // a wrong name, shape, element type or option; a missing input
	InvalidModel    Status = C.CORACLE_INVALID_MODEL    // the model file is damaged or contradicts itself
	Unsupported     Status = C.CORACLE_UNSUPPORTED      // an operator or feature that does not exist here
	IO              Status = C.CORACLE_IO               // a file cannot be read, or has changed
	OutOfMemory     Status = C.CORACLE_OUT_OF_MEMORY    // memory or a set limit is exhausted
	RunFailure      Status = C.CORACLE_RUN_FAILURE      // a run failed on its data
	Cancelled       Status = C.CORACLE_CANCELLED        // somebody cancelled it

	ok Status = C.CORACLE_OK
)

func (s Status) Error() string {
	switch s {
	case InvalidArgument:
		return "invalid argument"
	case InvalidModel:
		return "invalid model"
	case Unsupported:
		return "unsupported"
	case IO:
		return "input or output"
	case OutOfMemory:
		return "out of memory"
	case RunFailure:
		return "run failure"
	case Cancelled:
		return "cancelled"
	}
	return "failure of a kind that only a newer library knows"
}

// Error is a failure of the library, with a message that names file, operator and tensor.
type Error struct {
	Status  Status
	Message string
	Cause   error // the context's error where a context ended it; else nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the context's error.
func (e *Error) Unwrap() error { return e.Cause }

// Is tells errors.Is that an error is of its status.
func (e *Error) Is(target error) bool { return target == error(e.Status) }

// Invalid is an error of status InvalidArgument.
func Invalid(message string) *Error { return &Error{Status: InvalidArgument, Message: message} }

// Call makes one call of the library and gives the error that it left in this thread.
func Call(call func() int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	status := Status(call())
	if status == ok {
		return nil
	}
	return &Error{Status: status, Message: C.GoString(C.coracle_last_error())}
}
