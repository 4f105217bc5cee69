// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "paddle_c/fluid.h"

using coracle::paddle_c::given;
using coracle::paddle_c::guard;
using coracle::paddle_c::text;

namespace coracle::paddle_c {

paddle::PaddleDType paddle_type_of(PD_DataType type) {
  switch (type) {
    case PD_FLOAT32: return paddle::PaddleDType::FLOAT32;
    case PD_INT32: return paddle::PaddleDType::INT32;
    case PD_INT64: return paddle::PaddleDType::INT64;
    case PD_UINT8: return paddle::PaddleDType::UINT8;
    case PD_UNKDTYPE: break;
  }
  throw Misuse("there is no element type " + std::to_string(static_cast<int>(type)));
}

PD_DataType fluid_type_of(paddle::PaddleDType type) {
  for (const PD_DataType known : {PD_FLOAT32, PD_INT32, PD_INT64, PD_UINT8}) {
    if (paddle_type_of(known) == type) return known;
  }
  return PD_UNKDTYPE;
}

}  // namespace coracle::paddle_c

extern "C" {

PD_ZeroCopyTensor* PD_NewZeroCopyTensor() {
  return guard(__func__, static_cast<PD_ZeroCopyTensor*>(nullptr), [] {
    auto* tensor = new PD_ZeroCopyTensor;
    PD_InitZeroCopyTensor(tensor);
    return tensor;
  });
}
void PD_DeleteZeroCopyTensor(PD_ZeroCopyTensor* tensor) {
  if (tensor == nullptr) return;
  PD_DestroyZeroCopyTensor(tensor);
  delete tensor;
}
void PD_InitZeroCopyTensor(PD_ZeroCopyTensor* tensor) {
  guard(__func__, [&] { given(tensor, "tensor") = {{}, {}, {}, PD_UNKDTYPE, nullptr}; });
}
void PD_DestroyZeroCopyTensor(PD_ZeroCopyTensor* tensor) {
  if (tensor == nullptr) return;
  for (PD_Buffer* buffer : {&tensor->data, &tensor->shape, &tensor->lod}) {
    std::free(buffer->data);
    *buffer = {};
  }
}

PD_PaddleBuf* PD_NewPaddleBuf() {
  return guard(__func__, static_cast<PD_PaddleBuf*>(nullptr), [] { return new PD_PaddleBuf; });
}
void PD_DeletePaddleBuf(PD_PaddleBuf* buf) { delete buf; }
void PD_PaddleBufResize(PD_PaddleBuf* buf, size_t length) {
  guard(__func__, [&] { given(buf, "buf").buffer.Resize(length); });
}
void PD_PaddleBufReset(PD_PaddleBuf* buf, void* data, size_t length) {
  guard(__func__, [&] { given(buf, "buf").buffer.Reset(data, length); });
}
bool PD_PaddleBufEmpty(PD_PaddleBuf* buf) {
  return guard(__func__, true, [&] { return given(buf, "buf").buffer.empty(); });
}
void* PD_PaddleBufData(PD_PaddleBuf* buf) {
  return guard(__func__, static_cast<void*>(nullptr), [&] { return given(buf, "buf").buffer.data(); });
}
size_t PD_PaddleBufLength(PD_PaddleBuf* buf) {
  return guard(__func__, size_t{0}, [&] { return given(buf, "buf").buffer.length(); });
}

PD_Tensor* PD_NewPaddleTensor() {
  return guard(__func__, static_cast<PD_Tensor*>(nullptr), [] { return new PD_Tensor[1]; });
}
void PD_DeletePaddleTensor(PD_Tensor* tensor) { delete[] tensor; }
void PD_SetPaddleTensorName(PD_Tensor* tensor, char* name) {
  guard(__func__, [&] { given(tensor, "tensor").tensor.name = text(name, "name"); });
}
void PD_SetPaddleTensorDType(PD_Tensor* tensor, PD_DataType dtype) {
  guard(__func__, [&] { given(tensor, "tensor").tensor.dtype = coracle::paddle_c::paddle_type_of(dtype); });
}
void PD_SetPaddleTensorData(PD_Tensor* tensor, PD_PaddleBuf* buf) {
  guard(__func__, [&] { given(tensor, "tensor").tensor.data = given(buf, "buf").buffer; });
}
void PD_SetPaddleTensorShape(PD_Tensor* tensor, int* shape, int size) {
  guard(__func__, [&] {
    if (size < 0) throw coracle::paddle_c::Misuse("size is negative");
    if (size > 0) given(shape, "shape");
    given(tensor, "tensor").tensor.shape.assign(shape, shape + size);
  });
}
const char* PD_GetPaddleTensorName(const PD_Tensor* tensor) {
  return guard(__func__, "", [&] { return given(tensor, "tensor").tensor.name.c_str(); });
}
PD_DataType PD_GetPaddleTensorDType(const PD_Tensor* tensor) {
  return guard(__func__, PD_UNKDTYPE,
               [&] { return coracle::paddle_c::fluid_type_of(given(tensor, "tensor").tensor.dtype); });
}
PD_PaddleBuf* PD_GetPaddleTensorData(const PD_Tensor* tensor) {
  return guard(__func__, static_cast<PD_PaddleBuf*>(nullptr),
               [&] { return new PD_PaddleBuf{given(tensor, "tensor").tensor.data}; });
}
const int* PD_GetPaddleTensorShape(const PD_Tensor* tensor, int* size) {
  return guard(__func__, static_cast<const int*>(nullptr), [&] {
    const std::vector<int>& shape = given(tensor, "tensor").tensor.shape;
    given(size, "size") = static_cast<int>(shape.size());
    return shape.data();
  });
}

}  // extern "C"
