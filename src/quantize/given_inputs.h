// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "coracle/quantize.h"
#include "quantize/input_sets.h"

/// The inputs of one run, while whoever quantises a model fills them in.
struct coracle_quantize_inputs {
  const std::vector<coracle::TensorInfo>& infos;
  coracle::internal::quantize::InputSet set;
  std::vector<bool> given;  ///< by input
  size_t last = 0;          ///< that was set

  coracle_quantize_inputs(const std::vector<coracle::TensorInfo>& of_model, std::string name);

  /// Throws Error where there is no such input, it has been given, or its shape is none.
  void set_input(const char* name, coracle_dtype dtype, int32_t rank, const int64_t* dims, const void* data);
  void set_lod(const char* name, size_t levels, const size_t* sizes, const size_t* offsets);
  /// Throws Error that names an input that has not been given.
  void require_whole() const;

 private:
  size_t index_of(const char* name) const;
  size_t first_missing() const;
};

namespace coracle::internal::quantize {

/// Sets that a function gives.
class GivenSets : public InputSets {
 public:
  GivenSets(size_t count, coracle_quantize_data_function data, void* user) : count_(count), data_(data), user_(user) {}

  size_t size() const override { return count_; }
  InputSet read(size_t index, const std::vector<coracle::TensorInfo>& inputs) const override;

 private:
  size_t count_;
  coracle_quantize_data_function data_;
  void* user_;
};

}  // namespace coracle::internal::quantize
