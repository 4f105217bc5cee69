// SPDX-License-Identifier: Apache-2.0
#include "serve/padding.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "serve/batch_tensors.h"

namespace coracle::serve {
namespace {

size_t product(coracle::Dims::const_iterator begin, coracle::Dims::const_iterator end) {
  size_t n = 1;
  for (; begin != end; ++begin) n *= static_cast<size_t>(*begin);
  return n;
}

/// A tensor's parts before, along and behind an axis.
struct Strides {
  size_t outer;
  size_t inner;  ///< bytes of one step along the axis
  Strides(const Tensor& tensor, size_t axis)
      : outer(product(tensor.dims.begin(), tensor.dims.begin() + static_cast<ptrdiff_t>(axis))),
        inner(product(tensor.dims.begin() + static_cast<ptrdiff_t>(axis) + 1, tensor.dims.end()) *
              coracle_dtype_size(tensor.dtype)) {}
};

/// Copies `bytes` of each of `count` parts.
void copy_parts(std::byte* to, size_t to_step, const std::byte* from, size_t from_step, size_t bytes, size_t count) {
  if (bytes == 0) return;
  for (size_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, bytes);
}

Tensor with_data(const Tensor& like, coracle::Dims dims, std::shared_ptr<std::byte> data, size_t bytes) {
  Tensor tensor = like;
  tensor.dims = std::move(dims);
  tensor.data = data.get();
  tensor.owner = std::move(data);
  tensor.bytes = bytes;
  return tensor;
}

}  // namespace

std::optional<int64_t> size_along(const std::vector<Tensor>& inputs, size_t axis) {
  for (const Tensor& input : inputs) {
    if (input.dims.size() > axis) return input.dims[axis];
  }
  return std::nullopt;
}

bool same_sizes(const std::vector<InferencePtr>& requests, size_t axis) {
  const std::vector<Tensor>& first = requests.front()->inputs;
  return std::all_of(requests.begin(), requests.end(), [&](const InferencePtr& request) {
    for (size_t i = 0; i < first.size(); ++i) {
      if (first[i].dims.size() > axis && first[i].dims[axis] != request->inputs[i].dims[axis]) return false;
    }
    return true;
  });
}

std::vector<Tensor> padded(const std::vector<InferencePtr>& requests, int64_t rows, size_t axis,
                           const MemoryBudget& memory) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < requests.front()->inputs.size(); ++i) {
    const Tensor& first = requests.front()->inputs[i];
    const bool has_axis = first.dims.size() > axis;
    coracle::Dims dims = first.dims;
    dims.front() = rows;
    for (const InferencePtr& request : requests) {
      if (has_axis) dims[axis] = std::max(dims[axis], request->inputs[i].dims[axis]);
    }
    const size_t bytes = product(dims.begin(), dims.end()) * coracle_dtype_size(first.dtype);
    const std::shared_ptr<std::byte> data = make_bytes(bytes, memory, "the inputs of a batch");
    std::memset(data.get(), 0, bytes);
    std::byte* to = data.get();
    for (const InferencePtr& request : requests) {
      const Tensor& own = request->inputs[i];
      if (!has_axis) {
        copy_parts(to, 0, own.data, 0, own.bytes, 1);
        to += own.bytes;
        continue;
      }
      const Strides strides(own, axis);
      const size_t step = static_cast<size_t>(dims[axis]) * strides.inner;
      const size_t part = static_cast<size_t>(own.dims[axis]) * strides.inner;
      copy_parts(to, step, own.data, part, part, strides.outer);
      to += strides.outer * step;
    }
    inputs.push_back(with_data(first, std::move(dims), data, bytes));
  }
  return inputs;
}

std::optional<std::vector<Tensor>> cut(const std::vector<Tensor>& results,
                                       const std::vector<coracle::TensorInfo>& outputs, int64_t own, int64_t all,
                                       const MemoryBudget& memory) {
  std::vector<Tensor> parts;
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor& result = results[i];
    size_t axis = 0;
    for (size_t d = 1; d < outputs[i].dims.size() && d < result.dims.size(); ++d) {
      if (outputs[i].dims[d] >= 0) continue;
      if (axis != 0) return std::nullopt;
      axis = d;
    }
    if (axis == 0 || own == all) {
      parts.push_back(result);
      continue;
    }
    coracle::Dims dims = result.dims;
    if (dims[axis] * own % all != 0) return std::nullopt;
    dims[axis] = dims[axis] * own / all;
    const Strides strides(result, axis);
    const size_t part = static_cast<size_t>(dims[axis]) * strides.inner;
    const size_t step = static_cast<size_t>(result.dims[axis]) * strides.inner;
    const std::shared_ptr<std::byte> data = make_bytes(strides.outer * part, memory, "a result");
    copy_parts(data.get(), part, result.data, step, part, strides.outer);
    parts.push_back(with_data(result, std::move(dims), data, strides.outer * part));
  }
  return parts;
}

}  // namespace coracle::serve
