// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace coracle::internal {

/// Date and time of day at so many seconds after 1970's begin.
inline std::tm utc_of(int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm utc{};
#if defined(_WIN32)
  ::gmtime_s(&utc, &time);
#else
  ::gmtime_r(&time, &utc);
#endif
  return utc;
}

}  // namespace coracle::internal
