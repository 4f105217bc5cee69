// SPDX-License-Identifier: Apache-2.0
#include "ops/common/data_format.h"

#include <cstring>

namespace coracle::internal {
namespace {

/// to[b][j][i] = from[b][i][j] for elements of `size` bytes.
void swap_inner(const char* from, char* to, int64_t batch, int64_t rows, int64_t columns, size_t size) {
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        std::memcpy(to + static_cast<size_t>((b * columns + j) * rows + i) * size,
                    from + static_cast<size_t>((b * rows + i) * columns + j) * size, size);
      }
    }
  }
}

}  // namespace

std::span<const std::string_view> names_of(DataFormat) {
  static constexpr std::string_view kNames[] = {"NCHW", "NHWC", "NCDHW", "NDHWC",     "NCL", "NLC",
                                                "NCW",  "NWC",  "NC",    "AnyLayout", "ANY"};
  return kNames;
}

Shape to_channels_first(const Shape& shape, DataFormat format) {
  if (!is_channels_last(format) || shape.rank() < 3) return shape;
  Shape s = shape;
  const int64_t channels = s.back();
  s.erase(s.rank() - 1);
  s.insert(1, channels);
  return s;
}

Shape from_channels_first(const Shape& shape, DataFormat format) {
  if (!is_channels_last(format) || shape.rank() < 3) return shape;
  Shape s = shape;
  const int64_t channels = s[1];
  s.erase(1);
  s.push_back(channels);
  return s;
}

Tensor to_channels_first(const RunContext& context, const Tensor& tensor, DataFormat format) {
  const Shape& s = tensor.shape();
  if (!is_channels_last(format) || s.rank() < 3) return tensor;
  Tensor to = Tensor::make(context, tensor.dtype(), to_channels_first(s, format));
  swap_inner(tensor.data<char>(), to.data<char>(), s[0], s.count(1, s.rank() - 1), s.back(), size_of(tensor.dtype()));
  return to;
}

Tensor channels_first_like(const RunContext& context, const Tensor& like, DataFormat format) {
  if (!is_channels_last(format) || like.shape().rank() < 3) return like;
  return Tensor::make(context, like.dtype(), to_channels_first(like.shape(), format));
}

void store_channels_first(const Tensor& from, DataFormat format, Tensor& to) {
  const Shape& s = to.shape();
  if (!is_channels_last(format) || s.rank() < 3) return;
  swap_inner(from.data<char>(), to.data<char>(), s[0], s.back(), s.count(1, s.rank() - 1), size_of(to.dtype()));
}

}  // namespace coracle::internal
