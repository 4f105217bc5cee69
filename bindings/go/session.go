// SPDX-License-Identifier: Apache-2.0
package coracle

/*
#include <stdlib.h>
#include <coracle/coracle.h>

static void free_session(void* session) { coracle_session_free((coracle_session*)session); }
*/
import "C"

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"coracle.dev/coracle/internal/native"
)

// SessionOptions say how a session runs. What each does stands in coracle.h (coracle_session_options); the zero value is
// the default.
type SessionOptions struct {
	Threads         int    // of one run at most; 0: those of the pool, or DefaultThreads
	CacheBytes      uint64 // bound on the plans that the model keeps; 0: the library chooses
	MemoryLimit     uint64 // bound on what a run holds, in bytes; 0: none
	TimeLimit       time.Duration
	Pool            *Pool  // whose threads help; nil: the session has its own
	CPUs            string // processors for these: "0-3", "node1"
	ParallelEngines int    // parts of a run at the same time at most; 0: 1
	Padding         string // sizes that inputs are padded to: "ids=1..10x32..128/32"
}

// Session runs a model, for one goroutine at a time. For runs at the same time there are several sessions of one model.
type Session struct {
	handle *native.Handle
	memory *memory // that the model was loaded from
}

// NewSession makes a session, which keeps the model.
func (m *Model) NewSession(options SessionOptions) (*Session, error) {
	var texts native.Texts
	defer texts.Free()
	var c C.coracle_session_options
	C.coracle_session_options_init(&c, C.sizeof_coracle_session_options)
	c.threads = number(options.Threads)
	if options.CacheBytes != 0 {
		c.cache_bytes = C.size_t(options.CacheBytes)
	}
	c.memory_limit = C.size_t(options.MemoryLimit)
	c.time_limit_ms = milliseconds(options.TimeLimit)
	c.cpus = (*C.char)(texts.Or(options.CPUs))
	c.padding = (*C.char)(texts.Or(options.Padding))
	if options.ParallelEngines != 0 {
		c.parallel_engines = number(options.ParallelEngines)
	}
	if texts.Err() != nil {
		return nil, texts.Err()
	}
	var session *C.coracle_session
	create := func(pool unsafe.Pointer) error {
		c.pool = (*C.coracle_pool)(pool)
		return m.use(func(model *C.coracle_model) error {
			return native.Call(func() int { return int(C.coracle_session_create(model, &c, &session)) })
		})
	}
	var err error
	if options.Pool == nil {
		err = create(nil)
	} else {
		err = options.Pool.handle.Use(create)
	}
	if err != nil {
		return nil, err
	}
	return newSession(session, m.memory), nil
}

func newSession(session *C.coracle_session, bytes *memory) *Session {
	return &Session{native.NewHandle("the session", unsafe.Pointer(session), func(session unsafe.Pointer) {
		C.free_session(session)
		runtime.KeepAlive(bytes)
	}), bytes}
}

// number is one that the library refuses where it is too large.
func number(threads int) C.int32_t {
	if threads > math.MaxInt32 || threads < math.MinInt32 {
		return math.MaxInt32
	}
	return C.int32_t(threads)
}

func (s *Session) call(call func(session *C.coracle_session) C.coracle_status) error {
	if s == nil {
		return native.Invalid("the session is nil")
	}
	return s.handle.Use(func(object unsafe.Pointer) error {
		return native.Call(func() int { return int(call((*C.coracle_session)(object))) })
	})
}

// Clone makes a second session with the same model and options, without its inputs.
func (s *Session) Clone() (*Session, error) {
	var clone *C.coracle_session
	if err := s.call(func(session *C.coracle_session) C.coracle_status { return C.coracle_session_clone(session, &clone) }); err != nil {
		return nil, err
	}
	return newSession(clone, s.memory), nil
}

// Close frees the session, when a call of another goroutine that uses it now has ended.
func (s *Session) Close() error {
	if s != nil {
		s.handle.Close()
	}
	return nil
}

var nothing [1]byte // where a tensor without elements begins

// SetInput sets an input by copying, with the sequence offsets that the tensor has. Inputs keep their content from run to
// run.
func (s *Session) SetInput(index int, t Tensor) error {
	rank, data := C.int32_t(len(t.Dims)), t.data
	if len(data) == 0 {
		data = nothing[:]
	}
	err := s.call(func(session *C.coracle_session) C.coracle_status {
		return C.coracle_session_set_input(session, C.size_t(index), C.coracle_dtype(t.Type), rank, (*C.int64_t)(first(t.Dims)), unsafe.Pointer(&data[0]))
	})
	if err != nil || t.Lod == nil {
		return err
	}
	var sizes, offsets []C.size_t
	for _, level := range t.Lod {
		sizes = append(sizes, C.size_t(len(level)))
		for _, offset := range level {
			offsets = append(offsets, C.size_t(offset))
		}
	}
	return s.call(func(session *C.coracle_session) C.coracle_status {
		return C.coracle_session_set_input_lod(session, C.size_t(index), C.size_t(len(t.Lod)), first(sizes), first(offsets))
	})
}

// RunOptions hold for one run. What is 0 leaves it to the session's own option.
type RunOptions struct {
	TimeLimit   time.Duration // from the call on
	MemoryLimit uint64        // in bytes
}

// Run runs the model on its inputs. The context ends it, with an error of status Cancelled that wraps the context's.
func (s *Session) Run(ctx context.Context) error { return s.RunWith(ctx, RunOptions{}) }

// RunWith does the same with options that hold for this run alone.
func (s *Session) RunWith(ctx context.Context, options RunOptions) error {
	if err := ctx.Err(); err != nil {
		return &Error{Status: Cancelled, Message: "the run was cancelled before it began: " + err.Error(), Cause: err}
	}
	var c C.coracle_run_options
	C.coracle_run_options_init(&c, C.sizeof_coracle_run_options)
	c.time_limit_ms = milliseconds(options.TimeLimit)
	c.memory_limit = C.size_t(options.MemoryLimit)
	if ctx.Done() != nil {
		flag := (*C.uint32_t)(C.calloc(1, C.sizeof_uint32_t))
		c.cancelled = flag
		ended, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			select {
			case <-ctx.Done():
				atomic.StoreUint32((*uint32)(flag), 1)
			case <-ended:
			}
		}()
		defer func() {
			close(ended)
			<-stopped
			C.free(unsafe.Pointer(flag))
		}()
	}
	err := s.call(func(session *C.coracle_session) C.coracle_status { return C.coracle_session_run_with(session, &c) })
	var failure *Error
	if errors.As(err, &failure) && failure.Status == Cancelled {
		failure.Cause = ctx.Err()
	}
	return err
}

// Output is a copy of a result of the last run.
func (s *Session) Output(index int) (t Tensor, err error) {
	err = s.view(func(session *C.coracle_session, view *C.coracle_tensor_view) C.coracle_status {
		return C.coracle_session_output(session, C.size_t(index), view)
	}, func(session *C.coracle_session, view *C.coracle_tensor_view) error {
		t = copied(view)
		for level := C.size_t(0); level < view.lod_levels; level++ {
			var offsets *C.size_t
			var size C.size_t
			err := native.Call(func() int {
				return int(C.coracle_session_output_lod(session, C.size_t(index), level, &offsets, &size))
			})
			if err != nil {
				return err
			}
			copied := make([]int, size)
			for i, offset := range unsafe.Slice(offsets, int(size)) {
				copied[i] = int(offset)
			}
			t.Lod = append(t.Lod, copied)
		}
		return nil
	})
	return t, err
}

// Tensor is a copy of a variable that ModelOptions.KeepTensors keeps.
func (s *Session) Tensor(name string) (t Tensor, err error) {
	var texts native.Texts
	defer texts.Free()
	text := (*C.char)(texts.Of(name))
	if texts.Err() != nil {
		return t, texts.Err()
	}
	err = s.view(func(session *C.coracle_session, view *C.coracle_tensor_view) C.coracle_status {
		return C.coracle_session_tensor(session, text, view)
	}, func(_ *C.coracle_session, view *C.coracle_tensor_view) error {
		t = copied(view)
		return nil
	})
	return t, err
}

// view lets f see what get finds, while the session stays as it is.
func (s *Session) view(get func(*C.coracle_session, *C.coracle_tensor_view) C.coracle_status, f func(*C.coracle_session, *C.coracle_tensor_view) error) error {
	if s == nil {
		return native.Invalid("the session is nil")
	}
	return s.handle.Use(func(object unsafe.Pointer) error {
		session := (*C.coracle_session)(object)
		var view C.coracle_tensor_view
		if err := native.Call(func() int { return int(get(session, &view)) }); err != nil {
			return err
		}
		return f(session, &view)
	})
}

// CopyOutput copies a result of the last run to elements, of which there have to be as many, of its type.
func CopyOutput[T Element](s *Session, index int, elements []T) error {
	var zero T
	return s.view(func(session *C.coracle_session, view *C.coracle_tensor_view) C.coracle_status {
		return C.coracle_session_output(session, C.size_t(index), view)
	}, func(session *C.coracle_session, view *C.coracle_tensor_view) error {
		if asked := TypeOf[T](); asked != ElementType(view.dtype) {
			return native.Invalid("the output has elements of type " + ElementType(view.dtype).String() + ", asked for " + asked.String())
		}
		bytes := C.size_t(len(elements)) * C.size_t(unsafe.Sizeof(zero))
		if bytes == 0 {
			elements = make([]T, 1)
		}
		return native.Call(func() int {
			return int(C.coracle_session_copy_output(session, C.size_t(index), unsafe.Pointer(&elements[0]), bytes))
		})
	})
}

// SetProfiling turns per-operator timing on or off.
func (s *Session) SetProfiling(on bool) error {
	return s.call(func(session *C.coracle_session) C.coracle_status {
		return C.coracle_session_set_profiling(session, switched(on))
	})
}

// Profile tells the timings of the last run, as JSON.
func (s *Session) Profile() (text string, err error) {
	err = s.call(func(session *C.coracle_session) C.coracle_status {
		var json *C.char
		status := C.coracle_session_profile(session, &json)
		text = C.GoString(json)
		return status
	})
	return text, err
}

// Explain tells the kernel of each node for the inputs set now, as JSON.
func (s *Session) Explain() (text string, err error) {
	err = s.call(func(session *C.coracle_session) C.coracle_status {
		var json *C.char
		status := C.coracle_session_explain(session, &json)
		text = C.GoString(json)
		return status
	})
	return text, err
}

// PlannedMemory is how many bytes of tensors a run with the inputs set now would take.
func (s *Session) PlannedMemory() (uint64, error) {
	var bytes C.size_t
	err := s.call(func(session *C.coracle_session) C.coracle_status {
		return C.coracle_session_planned_memory(session, &bytes)
	})
	return uint64(bytes), err
}

// ReleaseMemory gives back what can be made again, and tells about how many bytes that was.
func (s *Session) ReleaseMemory() (uint64, error) {
	var bytes C.size_t
	err := s.call(func(session *C.coracle_session) C.coracle_status {
		return C.coracle_session_release_memory(session, &bytes)
	})
	return uint64(bytes), err
}
