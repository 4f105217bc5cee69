// SPDX-License-Identifier: Apache-2.0
#include "serve/batch_tensors.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace coracle::serve {
namespace {

constexpr size_t kAlignment = 64;

}  // namespace

std::shared_ptr<std::byte> make_bytes(size_t bytes, const MemoryBudget& memory, std::string_view what) {
  MemoryBudget::Share share = memory.reserve(bytes, what);
  auto* const data = static_cast<std::byte*>(::operator new (std::max<size_t>(bytes, 1), std::align_val_t{kAlignment}));
  return {data, [share = std::move(share)](std::byte* p) { ::operator delete (p, std::align_val_t{kAlignment}); }};
}

std::vector<Tensor> stacked(const std::vector<InferencePtr>& requests, int64_t rows, const MemoryBudget& memory) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < requests.front()->inputs.size(); ++i) {
    size_t bytes = 0;
    for (const InferencePtr& request : requests) bytes += request->inputs[i].bytes;
    const std::shared_ptr<std::byte> data = make_bytes(bytes, memory, "the inputs of a batch");
    size_t offset = 0;
    for (const InferencePtr& request : requests) {
      const Tensor& own = request->inputs[i];
      if (own.bytes != 0) std::memcpy(data.get() + offset, own.data, own.bytes);
      offset += own.bytes;
    }
    Tensor& input = inputs.emplace_back(requests.front()->inputs[i]);
    input.dims.front() = rows;
    input.owner = data;
    input.data = data.get();
    input.bytes = bytes;
  }
  return inputs;
}

std::vector<Tensor> rows_between(const std::vector<Tensor>& outputs, int64_t begin, int64_t rows, int64_t all) {
  std::vector<Tensor> parts;
  for (const Tensor& output : outputs) {
    Tensor& part = parts.emplace_back(output);
    const size_t row = output.bytes / static_cast<size_t>(all);
    part.dims.front() = rows;
    part.data = output.data + static_cast<size_t>(begin) * row;
    part.bytes = static_cast<size_t>(rows) * row;
  }
  return parts;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tensor& x, const Tensor& y) {
    return x.dtype == y.dtype && x.dims == y.dims && x.lod == y.lod && x.bytes == y.bytes &&
           (x.bytes == 0 || std::memcmp(x.data, y.data, x.bytes) == 0);
  });
}

}  // namespace coracle::serve
