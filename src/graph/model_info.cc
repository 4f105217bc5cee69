// SPDX-License-Identifier: Apache-2.0
#include "graph/model_info.h"

#include "base/error.h"
#include "base/printable.h"

namespace coracle::internal {

void require_supported(const ModelInfo& info) {
  if (info.unsupported.empty()) return;
  std::string list;
  for (const Unsupported& u : info.unsupported) {
    list.append(text("\n  ", printable(u.type), " (", u.count, u.count == 1 ? " time): " : " times): ", u.reason));
  }
  fail(ErrorCode::kUnsupported, "the model ", in_quotes(info.file), " needs operators that are not supported:", list);
}

const char* left_out_operator([[maybe_unused]] const char* of_all) {
#if defined(CORACLE_TAILOR)
  return "it is not among the operators that this library was made for (coracle tailor)";
#elif defined(CORACLE_OPERATORS)
  return "it is not among the operators that this library was built with (CORACLE_OPERATORS)";
#elif defined(CORACLE_LIGHT)
  return "the light library leaves it out: use libcoracle, or a library that coracle tailor makes for the model";
#else
  return of_all;
#endif
}

}  // namespace coracle::internal
