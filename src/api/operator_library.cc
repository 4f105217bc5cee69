// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "api/guard.h"
#include "api/operator.h"
#include "base/printable.h"
#include "base/system/library.h"
#include "graph/operator_set.h"

namespace coracle::internal {

void load_operators(const char* path) {
  static std::mutex mutex;
  static std::vector<void*> loaded;
  const std::lock_guard lock(mutex);
  const size_t before = registered_operators();
  void* const library = load_library_lazily(path);
  require(library != nullptr, ErrorCode::kIo, "the library of operators ", in_quotes(path),
          " cannot be loaded: ", library_fault());
  if (std::find(loaded.begin(), loaded.end(), library) != loaded.end()) return;
  if (void* const symbol = symbol_of(library, "coracle_register_operators")) {
    const coracle_status status = reinterpret_cast<coracle_status (*)()>(symbol)();
    require(status == CORACLE_OK, ErrorCode::kInvalidArgument, "the library of operators ", in_quotes(path),
            " did not register them: ", coracle_last_error());
  }
  require(registered_operators() > before, ErrorCode::kInvalidArgument, "the library ", in_quotes(path),
          " registers no operators: expected PD_BUILD_OP in it, or a function coracle_register_operators (or its "
          "operators are here already)");
  loaded.push_back(library);
}

}  // namespace coracle::internal
