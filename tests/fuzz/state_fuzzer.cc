// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "serve/failure.h"
#include "serve/run_history.h"
#include "serve/state_directory.h"
#include "support/temporary_folder.h"

// Any bytes as a file of a state directory, and as what a server has learnt of a model: what is taken is what is kept
// of it again, and no run is predicted to take less than no time.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  static const coracle::internal::test::TemporaryFolder folder;
  static const StateDirectory state(folder.path());
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto no_log = [](const std::string&) {};

  folder.write("m.state", bytes);
  const std::optional<std::string> kept = state.load("m", "key", no_log);
  if (kept.has_value()) {
    state.save("m", "key", *kept, no_log);
    if (state.load("m", "key", no_log) != kept) std::abort();
  }
  try {
    RunHistory history;
    history.restore(kept.has_value() ? *kept : bytes);
    RunHistory again;
    again.restore(history.json());
    if (again.json() != history.json() || again.refused() != history.refused()) std::abort();
    for (const int64_t rows : {int64_t{1}, int64_t{7}, INT64_MAX}) {
      if (history.predict("a", rows).value_or(Clock::duration::zero()) < Clock::duration::zero()) std::abort();
    }
  } catch (const Failure&) {
  }
  return 0;
}
