// SPDX-License-Identifier: Apache-2.0
#include "paddle_c/arrays.h"
#include "paddle_c/handles.h"

namespace coracle::paddle_c {
namespace {

using Tensor = paddle_infer::Tensor;

template <class Value, class F>
Value ask_tensor(const char* call, PD_Tensor* handle, Value failed, const F& f) noexcept {
  return guard(call, failed, [&] { return static_cast<Value>(f(*given(handle, "pd_tensor").tensor)); });
}
template <class F>
void with_tensor(const char* call, PD_Tensor* handle, const F& f) noexcept {
  guard(call, [&] { f(*given(handle, "pd_tensor").tensor); });
}

paddle_infer::PlaceType place_of(PD_PlaceType place) {
  switch (place) {
    case PD_PLACE_CPU: return paddle_infer::PlaceType::kCPU;
    case PD_PLACE_GPU: return paddle_infer::PlaceType::kGPU;
    case PD_PLACE_XPU: return paddle_infer::PlaceType::kXPU;
    case PD_PLACE_CUSTOM: return paddle_infer::PlaceType::kCUSTOM;
    default: return paddle_infer::PlaceType::kUNK;
  }
}

template <class T>
T* mutable_data(const char* call, PD_Tensor* handle, PD_PlaceType place) noexcept {
  return ask_tensor(call, handle, static_cast<T*>(nullptr),
                    [&](Tensor& t) { return t.mutable_data<T>(place_of(place)); });
}

/// Tensors lie on the CPU.
template <class T>
T* data(const char* call, PD_Tensor* handle, PD_PlaceType* place, int32_t* size) noexcept {
  return ask_tensor(call, handle, static_cast<T*>(nullptr), [&](Tensor& t) {
    T* elements = t.data<T>(nullptr, size);
    if (place != nullptr) *place = PD_PLACE_CPU;
    return elements;
  });
}

template <class T>
void copy_from_cpu(const char* call, PD_Tensor* handle, const T* data) noexcept {
  with_tensor(call, handle, [&](Tensor& t) { t.CopyFromCpu(data); });
}

template <class T>
void copy_to_cpu(const char* call, PD_Tensor* handle, T* data) noexcept {
  with_tensor(call, handle, [&](Tensor& t) { t.CopyToCpu(data); });
}

std::vector<std::vector<size_t>> lists_of(const PD_TwoDimArraySize& array) {
  std::vector<std::vector<size_t>> lists;
  if (array.size != 0) given(array.data, "lod->data");
  for (size_t i = 0; i < array.size; ++i) {
    const PD_OneDimArraySize& level = given(array.data[i], "lod->data[i]");
    if (level.size != 0) given(level.data, "lod->data[i]->data");
    lists.emplace_back(level.data, level.data + level.size);
  }
  return lists;
}

}  // namespace
}  // namespace coracle::paddle_c

namespace api = coracle::paddle_c;

extern "C" {

void PD_TensorDestroy(PD_Tensor* pd_tensor) { delete pd_tensor; }

void PD_TensorReshape(PD_Tensor* pd_tensor, size_t shape_size, int32_t* shape) {
  api::with_tensor(__func__, pd_tensor, [&](api::Tensor& t) {
    if (shape_size != 0) api::given(shape, "shape");
    t.Reshape(std::vector<int>(shape, shape + shape_size));
  });
}

float* PD_TensorMutableDataFloat(PD_Tensor* pd_tensor, PD_PlaceType place) {
  return api::mutable_data<float>(__func__, pd_tensor, place);
}
int64_t* PD_TensorMutableDataInt64(PD_Tensor* pd_tensor, PD_PlaceType place) {
  return api::mutable_data<int64_t>(__func__, pd_tensor, place);
}
int32_t* PD_TensorMutableDataInt32(PD_Tensor* pd_tensor, PD_PlaceType place) {
  return api::mutable_data<int32_t>(__func__, pd_tensor, place);
}
uint8_t* PD_TensorMutableDataUint8(PD_Tensor* pd_tensor, PD_PlaceType place) {
  return api::mutable_data<uint8_t>(__func__, pd_tensor, place);
}
int8_t* PD_TensorMutableDataInt8(PD_Tensor* pd_tensor, PD_PlaceType place) {
  return api::mutable_data<int8_t>(__func__, pd_tensor, place);
}

float* PD_TensorDataFloat(PD_Tensor* pd_tensor, PD_PlaceType* place, int32_t* size) {
  return api::data<float>(__func__, pd_tensor, place, size);
}
int64_t* PD_TensorDataInt64(PD_Tensor* pd_tensor, PD_PlaceType* place, int32_t* size) {
  return api::data<int64_t>(__func__, pd_tensor, place, size);
}
int32_t* PD_TensorDataInt32(PD_Tensor* pd_tensor, PD_PlaceType* place, int32_t* size) {
  return api::data<int32_t>(__func__, pd_tensor, place, size);
}
uint8_t* PD_TensorDataUint8(PD_Tensor* pd_tensor, PD_PlaceType* place, int32_t* size) {
  return api::data<uint8_t>(__func__, pd_tensor, place, size);
}
int8_t* PD_TensorDataInt8(PD_Tensor* pd_tensor, PD_PlaceType* place, int32_t* size) {
  return api::data<int8_t>(__func__, pd_tensor, place, size);
}

void PD_TensorCopyFromCpuFloat(PD_Tensor* pd_tensor, const float* data) {
  api::copy_from_cpu(__func__, pd_tensor, data);
}
void PD_TensorCopyFromCpuInt64(PD_Tensor* pd_tensor, const int64_t* data) {
  api::copy_from_cpu(__func__, pd_tensor, data);
}
void PD_TensorCopyFromCpuInt32(PD_Tensor* pd_tensor, const int32_t* data) {
  api::copy_from_cpu(__func__, pd_tensor, data);
}
void PD_TensorCopyFromCpuUint8(PD_Tensor* pd_tensor, const uint8_t* data) {
  api::copy_from_cpu(__func__, pd_tensor, data);
}
void PD_TensorCopyFromCpuInt8(PD_Tensor* pd_tensor, const int8_t* data) {
  api::copy_from_cpu(__func__, pd_tensor, data);
}

void PD_TensorCopyToCpuFloat(PD_Tensor* pd_tensor, float* data) { api::copy_to_cpu(__func__, pd_tensor, data); }
void PD_TensorCopyToCpuInt64(PD_Tensor* pd_tensor, int64_t* data) { api::copy_to_cpu(__func__, pd_tensor, data); }
void PD_TensorCopyToCpuInt32(PD_Tensor* pd_tensor, int32_t* data) { api::copy_to_cpu(__func__, pd_tensor, data); }
void PD_TensorCopyToCpuUint8(PD_Tensor* pd_tensor, uint8_t* data) { api::copy_to_cpu(__func__, pd_tensor, data); }
void PD_TensorCopyToCpuInt8(PD_Tensor* pd_tensor, int8_t* data) { api::copy_to_cpu(__func__, pd_tensor, data); }

PD_OneDimArrayInt32* PD_TensorGetShape(PD_Tensor* pd_tensor) {
  return api::ask_tensor(__func__, pd_tensor, static_cast<PD_OneDimArrayInt32*>(nullptr),
                         [](api::Tensor& t) { return api::array_of<PD_OneDimArrayInt32, int32_t>(t.shape()); });
}

void PD_TensorSetLod(PD_Tensor* pd_tensor, PD_TwoDimArraySize* lod) {
  api::with_tensor(__func__, pd_tensor, [&](api::Tensor& t) { t.SetLoD(api::lists_of(api::given(lod, "lod"))); });
}

PD_TwoDimArraySize* PD_TensorGetLod(PD_Tensor* pd_tensor) {
  return api::ask_tensor(__func__, pd_tensor, static_cast<PD_TwoDimArraySize*>(nullptr),
                         [](api::Tensor& t) { return api::sizes_of(t.lod()); });
}

const char* PD_TensorGetName(PD_Tensor* pd_tensor) {
  return api::ask_tensor(__func__, pd_tensor, static_cast<const char*>(nullptr),
                         [](api::Tensor& t) { return t.name().c_str(); });
}

PD_DataType PD_TensorGetDataType(PD_Tensor* pd_tensor) {
  return api::ask_tensor(__func__, pd_tensor, PD_DataType{PD_DATA_UNK},
                         [](api::Tensor& t) { return api::data_type_of(t.type()); });
}

}  // extern "C"
