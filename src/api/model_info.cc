// SPDX-License-Identifier: Apache-2.0
// What is known of a model, whatever loaded it, and of element types and the machine.
#include <cstdlib>
#include <string>
#include <vector>

#include "api/enumerations.h"
#include "api/guard.h"
#include "api/handles.h"
#include "base/printable.h"
#include "plan/device.h"

namespace coracle::internal {
namespace {

void fill_info(const TensorInfo& from, coracle_tensor_info* to) {
  *to = {};
  to->name = from.name.c_str();
  to->dtype = number_of(from.dtype);
  to->rank = from.shape.rank_known() ? from.shape.rank() : -1;
  int i = 0;
  for (int64_t d : from.shape) to->dims[i++] = d;
  to->lod_levels = from.lod_levels;
}

coracle_status info_at(const std::vector<TensorInfo>* infos, const char* kind, size_t index,
                       coracle_tensor_info* info) {
  return guard([&] {
    require_pointer(infos, "model");
    require_pointer(info, "info");
    require(index < infos->size(), ErrorCode::kInvalidArgument, "the model has ", infos->size(), " ", kind,
            "s, there is no ", kind, " ", index);
    fill_info((*infos)[index], info);
  });
}

int64_t find(const std::vector<TensorInfo>& infos, const char* name) {
  if (name == nullptr) return -1;
  const std::string wanted = printable(name);
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == wanted) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace
}  // namespace coracle::internal

using coracle::internal::guard;
using coracle::internal::require_pointer;

extern "C" {

size_t coracle_dtype_size(coracle_dtype dtype) {
  return coracle::internal::is_dtype(dtype) ? coracle::internal::size_of(coracle::internal::dtype_of(dtype)) : 0;
}

const char* coracle_dtype_name(coracle_dtype dtype) {
  return coracle::internal::name_of(coracle::internal::is_dtype(dtype) ? coracle::internal::dtype_of(dtype)
                                                                       : coracle::internal::DType::kUnknown)
      .data();
}

const char* coracle_cpu_isa(void) {
  const coracle::internal::Capabilities& all = *coracle::internal::host_device().capabilities;
  return all.names()[all.best().value()].data();
}

void coracle_model_free(coracle_model* model) { delete model; }

size_t coracle_model_packed_bytes(const coracle_model* model) {
  return model == nullptr ? 0 : model->model->program()->packed().bytes();
}

size_t coracle_model_plan_bytes(const coracle_model* model) {
  return model == nullptr ? 0 : model->model->program()->steps().bytes();
}

size_t coracle_model_device_bytes(const coracle_model* model) {
  return model == nullptr ? 0 : model->model->program()->device_bytes();
}

size_t coracle_model_input_count(const coracle_model* model) {
  return model == nullptr ? 0 : model->model->info().inputs.size();
}

size_t coracle_model_output_count(const coracle_model* model) {
  return model == nullptr ? 0 : model->model->info().outputs.size();
}

coracle_status coracle_model_input(const coracle_model* model, size_t index, coracle_tensor_info* info) {
  return coracle::internal::info_at(model == nullptr ? nullptr : &model->model->info().inputs, "input", index, info);
}

coracle_status coracle_model_output(const coracle_model* model, size_t index, coracle_tensor_info* info) {
  return coracle::internal::info_at(model == nullptr ? nullptr : &model->model->info().outputs, "output", index, info);
}

int64_t coracle_model_find_input(const coracle_model* model, const char* name) {
  return model == nullptr ? -1 : coracle::internal::find(model->model->info().inputs, name);
}

int64_t coracle_model_find_output(const coracle_model* model, const char* name) {
  return model == nullptr ? -1 : coracle::internal::find(model->model->info().outputs, name);
}

const char* coracle_model_description(const coracle_model* model) {
  return model == nullptr ? "" : model->description.c_str();
}

void coracle_string_free(char* text) { std::free(text); }

}  // extern "C"
