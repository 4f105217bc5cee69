// SPDX-License-Identifier: Apache-2.0
package coracle

import "coracle.dev/coracle/internal/native"

// Error is what calls of this package fail with: a Status and a Message that names file, operator and tensor. Where a
// context ended the call, errors.Is finds context.Canceled or context.DeadlineExceeded, too.
type Error = native.Error

// Status says what kind of failure an Error is; errors.Is(err, coracle.Cancelled) tells it, too.
type Status = native.Status

const (
	InvalidArgument = native.InvalidArgument // a wrong name, shape, element type or option; a missing input
	InvalidModel    = native.InvalidModel    // the model file is damaged or contradicts itself
	Unsupported     = native.Unsupported     // an operator or feature that does not exist here
	IO              = native.IO              // a file cannot be read, or has changed
	OutOfMemory     = native.OutOfMemory     // memory or a set limit is exhausted
	RunFailure      = native.RunFailure      // a run failed on its data
	Cancelled       = native.Cancelled       // somebody cancelled it
)

// ErrClosed is what errors.Is finds in errors of calls for what was closed.
var ErrClosed = native.ErrClosed
