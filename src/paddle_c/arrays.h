// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "paddle/paddle_inference_api.h"
#include "paddle/pd_inference_api.h"

/// Arrays that are given to callers and destroyed by the functions of pd_utils.h.
namespace coracle::paddle_c {

struct Destroy {
  void operator()(PD_Cstr* a) const { PD_CstrDestroy(a); }
  void operator()(PD_OneDimArrayCstr* a) const { PD_OneDimArrayCstrDestroy(a); }
  void operator()(PD_OneDimArraySize* a) const { PD_OneDimArraySizeDestroy(a); }
  void operator()(PD_TwoDimArraySize* a) const { PD_TwoDimArraySizeDestroy(a); }
  void operator()(PD_IOInfo* a) const { PD_IOInfoDestroy(a); }
  void operator()(PD_IOInfos* a) const { PD_IOInfosDestroy(a); }
};
/// An array under construction: what was made of it goes away where the rest cannot be made.
template <class Array>
using Owned = std::unique_ptr<Array, Destroy>;

template <class Array, class Element, class Numbers>
Array* array_of(const Numbers& numbers) {
  auto array = std::make_unique<Array>();
  array->size = numbers.size();
  array->data = numbers.empty() ? nullptr : new Element[numbers.size()];
  std::copy(numbers.begin(), numbers.end(), array->data);
  return array.release();
}

PD_Cstr* cstr_of(const std::string& text);
PD_OneDimArrayCstr* cstrs_of(const std::vector<std::string>& texts);
PD_TwoDimArraySize* sizes_of(const std::vector<std::vector<size_t>>& lists);
PD_DataType data_type_of(paddle_infer::DataType type);

}  // namespace coracle::paddle_c
