// SPDX-License-Identifier: Apache-2.0
#include "cli/input/data_file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "cli/failure.h"
#include "cli/input/element.h"
#include "cli/input/npy.h"
#include "cli/input/zip.h"

namespace coracle::cli {

NamedArrays parse_npz(const std::string& path, const std::string& content) {
  NamedArrays arrays;
  for (const auto& [name, file] : read_zip(path, content)) {
    if (!name.ends_with(".npy")) continue;
    arrays.emplace_back(name.substr(0, name.size() - 4), parse_npy(path + ": " + name, file));
  }
  return arrays;
}

Array parse_raw(const std::string& path, const std::string& content, coracle_dtype dtype, api::Dims dims) {
  api::Dims known = dims;
  const auto free = std::find_if(dims.begin(), dims.end(), [](int64_t d) { return d < 0; });
  if (free != dims.end()) known.erase(known.begin() + (free - dims.begin()));
  const std::optional<size_t> bytes = byte_count(dtype, known);
  const std::string holds = path + ": it has " + std::to_string(content.size()) + " bytes, " + type_text(dtype, dims);
  if (!bytes) throw Failure(ExitCode::kUsage, holds + " takes more, or has several free dimensions: give --shape");
  if (free != dims.end()) {
    if (*bytes == 0 || content.size() % *bytes != 0) {
      throw Failure(ExitCode::kUsage, holds + " takes a multiple of " + std::to_string(*bytes));
    }
    *free = static_cast<int64_t>(content.size() / *bytes);
  } else if (content.size() != *bytes) {
    throw Failure(ExitCode::kUsage, holds + " takes " + std::to_string(*bytes));
  }
  Array a = make_array(dtype, dims);
  if (!content.empty()) std::memcpy(a.bytes.data(), content.data(), content.size());
  if (dtype == CORACLE_BOOL) {
    const auto other = std::find_if(a.bytes.begin(), a.bytes.end(), [](std::byte b) { return b > std::byte{1}; });
    if (other != a.bytes.end()) throw Failure(ExitCode::kUsage, path + ": bytes of bool are 0 or 1");
  }
  return a;
}

Array converted(const std::string& path, const Array& array, coracle_dtype dtype) {
  Array out = make_array(dtype, array.dims);
  const size_t count = element_count(array.dims);
  for (size_t i = 0; i < count; ++i) {
    const bool whole = is_whole(array.dtype);
    const bool stored =
        is_real(array.dtype) && (whole ? put_whole(out, i, whole_at(array.dtype, array.bytes.data(), i))
                                       : put_number(out, i, number_at(array.dtype, array.bytes.data(), i)));
    if (stored) continue;
    throw Failure(ExitCode::kUsage, path + ": element " + std::to_string(i) + " is no " + coracle_dtype_name(dtype) +
                                        " and is not made one of " + coracle_dtype_name(array.dtype));
  }
  return out;
}

}  // namespace coracle::cli
