// SPDX-License-Identifier: Apache-2.0
package coracle

/*
#include <stdlib.h>
#include <string.h>
#include <coracle/coracle.h>

static void free_model(void* model) { coracle_model_free((coracle_model*)model); }
*/
import "C"

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"coracle.dev/coracle/internal/native"
)

// ModelOptions say how a model is loaded. What each does stands in coracle.h (coracle_model_options); the zero value is
// the default.
type ModelOptions struct {
	Params             string // the parameter file, where Paddle's naming rules do not find it
	CPUISA             string // the widest instruction set to use: "sse2", "avx2"
	DisablePasses      string // rewrites to leave out, separated by commas; "all"
	DisableKernels     string // prefixes of kernel names to leave out, separated by commas
	KeepTensors        string // variables to keep for Session.Tensor, separated by commas; "*"
	Precision          string // "strict", "default", "high", "tf32", "bf16", "fp16" or "int8"
	Weights            string // "copied", "mapped" or "automatic"
	Device             string // "opencl", "cuda:1", "cuda?"
	Engines            string // engines that run parts of the model, separated by commas
	Marks              string // operators that go to an engine, separated by commas
	Shapes             string // sizes that inputs have, for which engines compile once
	MinOps             int    // operators of a block of an engine at least; 0: 2
	WeightsCacheBytes  uint64 // bound on the packed weights that the model keeps; 0: none
	TimeLimit          time.Duration
	CheckDeclaredSizes bool // inputs must have the fixed sizes that the model declares
	CheckWeights       bool // weights of a saved model are compared with their checksums
	AllowOutsideLinks  bool // parameter files may be links out of the model's folder
}

func (o *ModelOptions) c(texts *native.Texts) C.coracle_model_options {
	var c C.coracle_model_options
	C.coracle_model_options_init(&c, C.sizeof_coracle_model_options)
	for text, field := range map[*string]**C.char{
		&o.CPUISA: &c.cpu_isa, &o.DisablePasses: &c.disable_passes, &o.DisableKernels: &c.disable_kernels,
		&o.KeepTensors: &c.keep_tensors, &o.Precision: &c.precision, &o.Weights: &c.weights, &o.Device: &c.device,
		&o.Engines: &c.engines, &o.Marks: &c.marks, &o.Shapes: &c.shapes,
	} {
		*field = (*C.char)(texts.Or(*text))
	}
	if o.MinOps != 0 {
		c.min_ops = C.int64_t(o.MinOps)
	}
	if o.WeightsCacheBytes != 0 {
		c.weights_cache_bytes = C.size_t(o.WeightsCacheBytes)
	}
	c.time_limit_ms = milliseconds(o.TimeLimit)
	c.check_declared_sizes = switched(o.CheckDeclaredSizes)
	c.check_weights = switched(o.CheckWeights)
	c.allow_outside_links = switched(o.AllowOutsideLinks)
	return c
}

// milliseconds is a limit as the library wants it: 0 is none, so a shorter one than a millisecond is one.
func milliseconds(limit time.Duration) C.int64_t {
	if limit > 0 && limit < time.Millisecond {
		return 1
	}
	return C.int64_t(limit.Milliseconds())
}

// TensorInfo is name and type of an input or output.
type TensorInfo struct {
	Name      string
	Type      ElementType
	RankKnown bool
	Dims      []int64 // a dimension of -1 is free
	LodLevels int     // levels of sequence offsets an input takes
}

// Model is a loaded model. It never changes and is for any number of goroutines at once.
type Model struct {
	handle *native.Handle
	memory *memory
}

// Load loads a model from a folder, an archive of one (.tar, .tar.gz, .zip), one of its files or a saved model.
func Load(path string, options ModelOptions) (*Model, error) {
	var texts native.Texts
	defer texts.Free()
	c, name, params := options.c(&texts), (*C.char)(texts.Of(path)), (*C.char)(texts.Or(options.Params))
	if texts.Err() != nil {
		return nil, texts.Err()
	}
	var model *C.coracle_model
	if err := native.Call(func() int { return int(C.coracle_model_load(name, params, &c, &model)) }); err != nil {
		return nil, err
	}
	return newModel(model, nil), nil
}

// LoadBytes loads a model from the bytes of its program and of its parameters, which may be empty. Both are copied.
func LoadBytes(program, params []byte, options ModelOptions) (*Model, error) {
	var texts native.Texts
	defer texts.Free()
	c := options.c(&texts)
	if texts.Err() != nil {
		return nil, texts.Err()
	}
	bytes := newMemory(program, params)
	var model *C.coracle_model
	err := native.Call(func() int {
		return int(C.coracle_model_load_memory(bytes.parts[0], C.size_t(len(program)), bytes.parts[1], C.size_t(len(params)), &c, &model))
	})
	if err != nil {
		return nil, err
	}
	return newModel(model, bytes), nil
}

func newModel(model *C.coracle_model, bytes *memory) *Model {
	return &Model{native.NewHandle("the model", unsafe.Pointer(model), func(model unsafe.Pointer) {
		C.free_model(model)
		runtime.KeepAlive(bytes)
	}), bytes}
}

// memory is outside of Go's, for as long as handles of models and sessions refer to it.
type memory struct {
	parts []unsafe.Pointer
}

func newMemory(parts ...[]byte) *memory {
	m := &memory{}
	for _, part := range parts {
		m.parts = append(m.parts, nil)
		if len(part) > 0 {
			m.parts[len(m.parts)-1] = C.CBytes(part)
		}
	}
	runtime.SetFinalizer(m, func(m *memory) {
		for _, part := range m.parts {
			C.free(part)
		}
	})
	return m
}

func (m *Model) use(call func(model *C.coracle_model) error) error {
	if m == nil {
		return native.Invalid("the model is nil")
	}
	return m.handle.Use(func(object unsafe.Pointer) error { return call((*C.coracle_model)(object)) })
}

// Close frees the model when no call and no session uses it any more.
func (m *Model) Close() error {
	if m != nil {
		m.handle.Close()
	}
	return nil
}

// Inputs are the model's inputs in their order.
func (m *Model) Inputs() (infos []TensorInfo, err error) {
	err = m.use(func(model *C.coracle_model) error {
		infos, err = all(C.coracle_model_input_count(model), func(i C.size_t, info *C.coracle_tensor_info) C.coracle_status {
			return C.coracle_model_input(model, i, info)
		})
		return err
	})
	return infos, err
}

// Outputs are the model's outputs in their order.
func (m *Model) Outputs() (infos []TensorInfo, err error) {
	err = m.use(func(model *C.coracle_model) error {
		infos, err = all(C.coracle_model_output_count(model), func(i C.size_t, info *C.coracle_tensor_info) C.coracle_status {
			return C.coracle_model_output(model, i, info)
		})
		return err
	})
	return infos, err
}

func all(count C.size_t, get func(i C.size_t, info *C.coracle_tensor_info) C.coracle_status) ([]TensorInfo, error) {
	infos := make([]TensorInfo, count)
	for i := range infos {
		var c C.coracle_tensor_info
		if err := native.Call(func() int { return int(get(C.size_t(i), &c)) }); err != nil {
			return nil, err
		}
		info := TensorInfo{Name: C.GoString(c.name), Type: ElementType(c.dtype), RankKnown: c.rank >= 0, LodLevels: int(c.lod_levels)}
		for k := 0; k < int(c.rank); k++ {
			info.Dims = append(info.Dims, int64(c.dims[k]))
		}
		infos[i] = info
	}
	return infos, nil
}

// FindInput is the index of the input of that name.
func (m *Model) FindInput(name string) (int, error) {
	return m.find("input", name, func(model *C.coracle_model, name *C.char) C.int64_t { return C.coracle_model_find_input(model, name) })
}

// FindOutput is the index of the output of that name.
func (m *Model) FindOutput(name string) (int, error) {
	return m.find("output", name, func(model *C.coracle_model, name *C.char) C.int64_t { return C.coracle_model_find_output(model, name) })
}

func (m *Model) find(kind, name string, get func(*C.coracle_model, *C.char) C.int64_t) (index int, err error) {
	var texts native.Texts
	defer texts.Free()
	text := (*C.char)(texts.Of(name))
	if texts.Err() != nil {
		return -1, texts.Err()
	}
	err = m.use(func(model *C.coracle_model) error {
		if index = int(get(model, text)); index < 0 {
			return native.Invalid(fmt.Sprintf("the model has no %s '%s'", kind, name))
		}
		return nil
	})
	return index, err
}

// Description tells what is in the model, as JSON.
func (m *Model) Description() (text string, err error) {
	err = m.use(func(model *C.coracle_model) error {
		text = C.GoString(C.coracle_model_description(model))
		return nil
	})
	return text, err
}

// GraphText is the graph after rewriting.
func (m *Model) GraphText() (text string, err error) {
	err = m.use(func(model *C.coracle_model) error {
		text, err = givenText(func(text **C.char) C.coracle_status { return C.coracle_model_graph_text(model, text) })
		return err
	})
	return text, err
}

// Engines tells which engines the model uses and for what, as JSON.
func (m *Model) Engines() (text string, err error) {
	err = m.use(func(model *C.coracle_model) error {
		text, err = givenText(func(text **C.char) C.coracle_status { return C.coracle_model_engines(model, text) })
		return err
	})
	return text, err
}

// Save writes it, as it is after rewriting, to one file that loads like any model.
func (m *Model) Save(path string) error {
	return m.save(path, func(model *C.coracle_model, path *C.char) C.coracle_status { return C.coracle_model_save(model, path) })
}

// SavePacked does the same with the packed weights of the runs so far, or what engines have compiled.
func (m *Model) SavePacked(path string) error {
	return m.save(path, func(model *C.coracle_model, path *C.char) C.coracle_status {
		return C.coracle_model_save_packed(model, path)
	})
}

func (m *Model) save(path string, write func(*C.coracle_model, *C.char) C.coracle_status) error {
	var texts native.Texts
	defer texts.Free()
	name := (*C.char)(texts.Of(path))
	if texts.Err() != nil {
		return texts.Err()
	}
	return m.use(func(model *C.coracle_model) error { return native.Call(func() int { return int(write(model, name)) }) })
}

// CheckFiles fails unless the files that it was loaded from are, by size and time, as they were.
func (m *Model) CheckFiles() error {
	return m.use(func(model *C.coracle_model) error {
		return native.Call(func() int { return int(C.coracle_model_check(model)) })
	})
}
