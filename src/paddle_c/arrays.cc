// SPDX-License-Identifier: Apache-2.0
#include "paddle_c/arrays.h"

#include <cstring>

namespace coracle::paddle_c {
namespace {

char* copied(const std::string& text) {
  char* copy = new char[text.size() + 1];
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

template <class Array>
void destroy(Array* array) {
  if (array == nullptr) return;
  delete[] array->data;
  delete array;
}

}  // namespace

PD_Cstr* cstr_of(const std::string& text) {
  auto cstr = std::make_unique<PD_Cstr>();
  *cstr = {text.empty() ? 0 : text.size() + 1, text.empty() ? nullptr : copied(text)};
  return cstr.release();
}

PD_OneDimArrayCstr* cstrs_of(const std::vector<std::string>& texts) {
  Owned<PD_OneDimArrayCstr> array(new PD_OneDimArrayCstr{texts.size(), nullptr});
  if (!texts.empty()) array->data = new char*[texts.size()]();
  for (size_t i = 0; i < texts.size(); ++i) array->data[i] = copied(texts[i]);
  return array.release();
}

PD_TwoDimArraySize* sizes_of(const std::vector<std::vector<size_t>>& lists) {
  Owned<PD_TwoDimArraySize> array(new PD_TwoDimArraySize{lists.size(), nullptr});
  if (!lists.empty()) array->data = new PD_OneDimArraySize*[lists.size()]();
  for (size_t i = 0; i < lists.size(); ++i) array->data[i] = array_of<PD_OneDimArraySize, size_t>(lists[i]);
  return array.release();
}

/// Paddle's C interface has no names for other types.
PD_DataType data_type_of(paddle_infer::DataType type) {
  switch (type) {
    case paddle_infer::FLOAT32: return PD_DATA_FLOAT32;
    case paddle_infer::INT32: return PD_DATA_INT32;
    case paddle_infer::INT64: return PD_DATA_INT64;
    case paddle_infer::UINT8: return PD_DATA_UINT8;
    case paddle_infer::INT8: return PD_DATA_INT8;
    default: return PD_DATA_UNK;
  }
}

}  // namespace coracle::paddle_c

using coracle::paddle_c::destroy;

extern "C" {

void PD_OneDimArrayInt32Destroy(PD_OneDimArrayInt32* array) { destroy(array); }
void PD_OneDimArrayInt64Destroy(PD_OneDimArrayInt64* array) { destroy(array); }
void PD_OneDimArraySizeDestroy(PD_OneDimArraySize* array) { destroy(array); }
void PD_CstrDestroy(PD_Cstr* cstr) { destroy(cstr); }

void PD_OneDimArrayCstrDestroy(PD_OneDimArrayCstr* array) {
  for (size_t i = 0; array != nullptr && array->data != nullptr && i < array->size; ++i) delete[] array->data[i];
  destroy(array);
}

void PD_TwoDimArraySizeDestroy(PD_TwoDimArraySize* array) {
  for (size_t i = 0; array != nullptr && array->data != nullptr && i < array->size; ++i) destroy(array->data[i]);
  destroy(array);
}

void PD_IOInfoDestroy(PD_IOInfo* io_info) {
  if (io_info == nullptr) return;
  PD_CstrDestroy(io_info->name);
  PD_OneDimArrayInt64Destroy(io_info->shape);
  delete io_info;
}

void PD_IOInfosDestroy(PD_IOInfos* io_infos) {
  if (io_infos == nullptr) return;
  for (size_t i = 0; io_infos->io_info != nullptr && i < io_infos->size; ++i) PD_IOInfoDestroy(io_infos->io_info[i]);
  delete[] io_infos->io_info;
  delete io_infos;
}

}  // extern "C"
