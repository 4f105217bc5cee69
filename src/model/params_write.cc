// SPDX-License-Identifier: Apache-2.0
#include "model/params_write.h"

#include <bit>

#include "model/programdesc_write.h"

static_assert(std::endian::native == std::endian::little, "parameter files are little-endian");

namespace coracle::internal {
namespace {

template <class T>
void put(T value, std::string& to) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

void append_record(DType dtype, std::span<const int64_t> dims, std::string_view elements, std::string& to) {
  const std::string description = programdesc::tensor_desc(dtype, dims);
  put(uint32_t{0}, to);  // version of the stream
  put(uint64_t{0}, to);  // levels of sequence offsets
  put(uint32_t{0}, to);  // version of the tensor
  put(static_cast<int32_t>(description.size()), to);
  to.append(description).append(elements);
}

}  // namespace coracle::internal
