// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "api/enumerations.h"
#include "api/guard.h"

extern "C" coracle_status coracle_set_logger(coracle_log_level level, coracle_log_function log, void* user) {
  return coracle::internal::guard([&] {
    int number = 0;  // in C an enumeration may hold any
    std::memcpy(&number, &level, sizeof(number));
    coracle::internal::require(number >= CORACLE_LOG_OFF && number <= CORACLE_LOG_DEBUG,
                               coracle::internal::ErrorCode::kInvalidArgument, "level is ", number, ", expected ",
                               static_cast<int>(CORACLE_LOG_OFF), " to ", static_cast<int>(CORACLE_LOG_DEBUG));
    const auto told = [=](coracle::internal::LogLevel of, const char* message) {
      log(user, coracle::internal::number_of(of), message);
    };
    coracle::internal::set_logger(
        log == nullptr ? coracle::internal::LogLevel::kOff : static_cast<coracle::internal::LogLevel>(number), told);
  });
}
