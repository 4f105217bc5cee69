// SPDX-License-Identifier: Apache-2.0
package coracle

/*
#include <coracle/coracle.h>
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"coracle.dev/coracle/internal/native"
)

// ElementType is the type of a tensor's elements.
type ElementType int

const (
	Bool       ElementType = C.CORACLE_BOOL
	Int8       ElementType = C.CORACLE_INT8
	Uint8      ElementType = C.CORACLE_UINT8
	Int16      ElementType = C.CORACLE_INT16
	Int32      ElementType = C.CORACLE_INT32
	Int64      ElementType = C.CORACLE_INT64
	Float16    ElementType = C.CORACLE_FLOAT16
	BFloat16   ElementType = C.CORACLE_BFLOAT16
	Float32    ElementType = C.CORACLE_FLOAT32
	Float64    ElementType = C.CORACLE_FLOAT64
	Complex64  ElementType = C.CORACLE_COMPLEX64
	Complex128 ElementType = C.CORACLE_COMPLEX128
	Float8E4M3 ElementType = C.CORACLE_FLOAT8_E4M3
	Float8E5M2 ElementType = C.CORACLE_FLOAT8_E5M2
)

func (t ElementType) String() string {
	if t < 0 || t > Float8E5M2 {
		return "unknown"
	}
	return C.GoString(C.coracle_dtype_name(C.coracle_dtype(t)))
}

// Size is how many bytes an element has; 0 for what is no element type.
func (t ElementType) Size() int {
	if t < 0 || t > Float8E5M2 {
		return 0
	}
	return int(C.coracle_dtype_size(C.coracle_dtype(t)))
}

// Element is a type of Go's that is an element type.
type Element interface {
	bool | int8 | uint8 | int16 | int32 | int64 | float32 | float64
}

// TypeOf is the element type of T.
func TypeOf[T Element]() ElementType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case uint8:
		return Uint8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case float32:
		return Float32
	}
	return Float64
}

// Tensor has elements in row-major order. What Output gives is a copy, and stays.
type Tensor struct {
	Type ElementType
	Dims []int64 // outermost first
	Lod  [][]int // sequence offsets, coarsest level first; nil where there are none
	data []byte
}

// NewTensor is a tensor of these values, which it does not copy.
func NewTensor[T Element](dims []int64, values []T) (Tensor, error) {
	var zero T
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(first(values))), len(values)*int(unsafe.Sizeof(zero)))
	return NewTensorOf(TypeOf[T](), dims, bytes)
}

// NewTensorOf is a tensor of any element type; data are its elements in memory, which it does not copy.
func NewTensorOf(of ElementType, dims []int64, data []byte) (Tensor, error) {
	size := of.Size()
	if size == 0 {
		return Tensor{}, native.Invalid(fmt.Sprintf("%d is no element type", int(of)))
	}
	if len(dims) > C.CORACLE_MAX_RANK {
		return Tensor{}, native.Invalid(fmt.Sprintf("the shape %v has %d dimensions, which may be %d at most", dims, len(dims), C.CORACLE_MAX_RANK))
	}
	count := int64(1)
	for _, dim := range dims {
		if dim < 0 || dim > 0 && count > math.MaxInt64/dim {
			return Tensor{}, native.Invalid(fmt.Sprintf("the shape %v is none that a tensor has", dims))
		}
		count *= dim
	}
	if len(data)%size != 0 || count != int64(len(data)/size) {
		return Tensor{}, native.Invalid(fmt.Sprintf("the shape %v has %d elements, given %d bytes, %d for each", dims, count, len(data), size))
	}
	return Tensor{Type: of, Dims: append([]int64{}, dims...), data: data}, nil
}

// Bytes are the elements in memory, without a copy.
func (t Tensor) Bytes() []byte { return t.data }

// Values are the elements of a tensor whose element type is T, without a copy.
func Values[T Element](t Tensor) ([]T, error) {
	if asked := TypeOf[T](); asked != t.Type {
		return nil, native.Invalid(fmt.Sprintf("the tensor has elements of type %v, asked for %v", t.Type, asked))
	}
	var zero T
	if uintptr(unsafe.Pointer(first(t.data)))%unsafe.Alignof(zero) != 0 {
		return nil, native.Invalid("the tensor's bytes are not aligned for its elements")
	}
	return unsafe.Slice((*T)(unsafe.Pointer(first(t.data))), len(t.data)/int(unsafe.Sizeof(zero))), nil
}

// copied is a tensor of a view's elements.
func copied(view *C.coracle_tensor_view) Tensor {
	t := Tensor{Type: ElementType(view.dtype), Dims: make([]int64, view.rank)}
	for i := range t.Dims {
		t.Dims[i] = int64(view.dims[i])
	}
	if view.bytes == 0 {
		return t
	}
	words := make([]uint64, (view.bytes+7)/8) // aligned for all elements
	t.data = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), int(view.bytes))
	copy(t.data, unsafe.Slice((*byte)(view.data), int(view.bytes)))
	if t.Type == Bool {
		for i, b := range t.data {
			if b > 1 {
				t.data[i] = 1
			}
		}
	}
	return t
}
