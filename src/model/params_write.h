// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace coracle::internal {

/// Appends a parameter's record, which params.h reads: `elements` are row-major and little-endian. A combined file is
/// the records of all parameters in the bytewise order of their names.
void append_record(DType dtype, std::span<const int64_t> dims, std::string_view elements, std::string& to);

}  // namespace coracle::internal
