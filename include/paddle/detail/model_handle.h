// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "error.h"

namespace paddle {
namespace detail {

struct FreeModel {
  void operator()(coracle_model* model) const { coracle_model_free(model); }
};
using ModelHandle = std::unique_ptr<coracle_model, FreeModel>;

struct FreeSession {
  void operator()(coracle_session* session) const { coracle_session_free(session); }
};
using SessionHandle = std::unique_ptr<coracle_session, FreeSession>;

/// As the model says.
struct InputOrOutput {
  std::string name;
  coracle_dtype dtype;
  bool rank_known;
  std::vector<int64_t> shape;
};

/// `kind` is "input" or "output". Throws with the names that there are.
inline size_t find_by_name(const std::vector<InputOrOutput>& list, const std::string& name, const char* kind) {
  std::vector<std::string> names;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return i;
    names.push_back("'" + list[i].name + "'");
  }
  fail("the model has no ", kind, " '", name, "', its ", kind, "s are ", list_text(names));
}

inline std::vector<InputOrOutput> list_interface(const coracle_model* model, size_t count,
                                                 coracle_status (*info_of)(const coracle_model*, size_t,
                                                                           coracle_tensor_info*)) {
  std::vector<InputOrOutput> list;
  for (size_t i = 0; i < count; ++i) {
    coracle_tensor_info info;
    check(info_of(model, i, &info));
    list.push_back({info.name, info.dtype, info.rank >= 0, {info.dims, info.dims + (info.rank < 0 ? 0 : info.rank)}});
  }
  return list;
}
inline std::vector<InputOrOutput> inputs_of(const coracle_model* model) {
  return list_interface(model, coracle_model_input_count(model), coracle_model_input);
}
inline std::vector<InputOrOutput> outputs_of(const coracle_model* model) {
  return list_interface(model, coracle_model_output_count(model), coracle_model_output);
}

}  // namespace detail
}  // namespace paddle
