// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace coracle::internal::fake_cuda {

/// Calls of a library's functions: how many there were, and which fail because a test wants it.
class Calls {
 public:
  /// The code with which this call has to fail at once; 0 for none. `may_be_lost`: the function asks the device.
  int enter(const char* function, bool may_be_lost);

  void fail(const char* function, int code, int64_t skipped);
  void lose(int64_t call);
  int64_t count(const char* function) const;
  /// Whether any did since `lose` was told 0.
  bool has_failed() const { return has_failed_; }
  /// Whether the device is.
  bool is_lost() const { return lost_; }

 private:
  std::map<std::string, int64_t, std::less<>> counts_;
  int64_t total_ = 0;
  std::string failing_;
  int code_ = 0;
  int64_t skipped_ = 0;
  int64_t lost_at_ = 0;  ///< the number of a call; 0: never
  bool lost_ = false;
  bool has_failed_ = false;
};

/// A variable of the environment as a number.
int setting(const char* name, int otherwise);

}  // namespace coracle::internal::fake_cuda
