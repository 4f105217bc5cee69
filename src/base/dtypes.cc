// SPDX-License-Identifier: Apache-2.0
#include "base/dtypes.h"

#include <vector>

namespace coracle::internal {

void append_text(std::string& to, DTypes types) {
  if (types == DTypes::all()) {
    to += "anything";
    return;
  }
  std::vector<std::string_view> names;
  for (unsigned i = 0; i < static_cast<unsigned>(DType::kUnknown); ++i) {
    if (types.has(static_cast<DType>(i))) names.push_back(name_of(static_cast<DType>(i)));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) to += i + 1 == names.size() ? " and " : ", ";
    to += names[i];
  }
}

}  // namespace coracle::internal
