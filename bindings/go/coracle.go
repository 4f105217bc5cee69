// SPDX-License-Identifier: Apache-2.0

// Package coracle runs trained PaddlePaddle models by the library Coracle, which pkg-config finds.
//
//	model, err := coracle.Load("ch_PP-OCRv4_det_infer", coracle.ModelOptions{})
//	session, err := model.NewSession(coracle.SessionOptions{Threads: 2})
//	input, err := coracle.NewTensor([]int64{1, 3, 640, 640}, pixels)
//	err = session.SetInput(0, input)
//	err = session.Run(ctx)
//	output, err := session.Output(0)
//	scores, err := coracle.Values[float32](output)
//
// A Model is for any number of goroutines at once. A Session is for one at a time: a call while another one goes on is an
// error of status InvalidArgument. Whatever has a Close is freed by it, or some time after its last use; using it afterwards
// is an error that errors.Is finds to be ErrClosed.
package coracle

/*
#cgo pkg-config: coracle
#include <coracle/coracle.h>
*/
import "C"

import (
	"coracle.dev/coracle/internal/native"
)

// Version is that of the library, "0.1.0".
func Version() string { return C.GoString(C.coracle_version()) }

// DefaultThreads is how many threads a session has that was not told.
func DefaultThreads() int { return int(C.coracle_default_threads()) }

// MemoryTotal is how many bytes all models and sessions of this process hold.
func MemoryTotal() uint64 { return uint64(C.coracle_memory_total()) }

// Devices tells the devices of this machine beside the CPU, as JSON.
func Devices() (string, error) {
	return givenText(func(text **C.char) C.coracle_status { return C.coracle_devices(text) })
}

// Engines tells which engines may run parts of models, as JSON.
func Engines() (string, error) {
	return givenText(func(text **C.char) C.coracle_status { return C.coracle_engines(nil, text) })
}

// LoadOperators loads a shared library with operators of one's own, which models of this process may name from then on.
func LoadOperators(path string) error {
	var texts native.Texts
	defer texts.Free()
	name := (*C.char)(texts.Of(path))
	if texts.Err() != nil {
		return texts.Err()
	}
	return native.Call(func() int { return int(C.coracle_load_operators(name)) })
}

// Inspect tells what is in a model that need not be runnable, as JSON.
func Inspect(path string) (string, error) {
	var texts native.Texts
	defer texts.Free()
	name := (*C.char)(texts.Of(path))
	if texts.Err() != nil {
		return "", texts.Err()
	}
	return givenText(func(text **C.char) C.coracle_status { return C.coracle_inspect(name, nil, text) })
}

// givenText is a text that a function gives to its caller.
func givenText(call func(text **C.char) C.coracle_status) (string, error) {
	var text *C.char
	if err := native.Call(func() int { return int(call(&text)) }); err != nil {
		return "", err
	}
	defer C.coracle_string_free(text)
	return C.GoString(text), nil
}

// first is where a slice begins, for C.
func first[T any](slice []T) *T {
	if len(slice) == 0 {
		return nil
	}
	return &slice[0]
}

func switched(on bool) C.int32_t {
	if on {
		return 1
	}
	return 0
}
