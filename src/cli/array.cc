// SPDX-License-Identifier: Apache-2.0
#include "cli/array.h"

namespace coracle::cli {

size_t element_count(const api::Dims& dims) {
  size_t n = 1;
  for (int64_t d : dims) n *= static_cast<size_t>(d);
  return n;
}

std::string join(const api::Dims& dims) {
  std::string out;
  for (int64_t d : dims) out.append(out.empty() ? "" : ",").append(std::to_string(d));
  return out;
}

std::string type_text(coracle_dtype dtype, const api::Dims& dims) {
  std::string out = std::string(coracle_dtype_name(dtype)) + "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    out.append(i == 0 ? "" : ", ").append(dims[i] < 0 ? "?" : std::to_string(dims[i]));
  }
  return out + "]";
}

}  // namespace coracle::cli
