// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/copy_bytes.h"
#include "base/run_context.h"

namespace coracle::internal {

/// Looks at the deadline of a run once in so many steps of a long loop. The context has to outlive it.
class LoopCheck {
 public:
  explicit LoopCheck(const RunContext& context) : context_(context) {}
  explicit LoopCheck(RunContext&& context) = delete;

  const RunContext& context() const { return context_; }

  /// `steps` of some nanoseconds each have been done or are next. Throws Error when the deadline has passed.
  void step(int64_t steps = 1) {
    left_ -= steps;
    if (left_ < 0) [[unlikely]]
      look();
  }

 private:
  static constexpr int64_t kSteps = 1 << 17;

  [[gnu::noinline]] void look() {
    left_ = kSteps;
    context_.check();
  }

  const RunContext& context_;
  int64_t left_ = kSteps;
};

/// f(begin, end) for parts of [0, count), in order; throws Error between them when the deadline has passed.
template <class F>
void in_blocks(const RunContext& context, size_t count, const F& f) {
  constexpr size_t kBlock = 1 << 18;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    context.check();
    f(begin, count - begin < kBlock ? count : begin + kBlock);
  }
}

/// Copies what may be as large as the data; throws Error when the deadline has passed.
inline void copy_in_blocks(const RunContext& context, void* to, const void* from, size_t bytes) {
  in_blocks(context, bytes, [=](size_t begin, size_t end) {
    copy_bytes(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
  });
}

/// The same for one piece of many, most of which are short.
inline void copy_piece(void* to, const void* from, size_t bytes, LoopCheck& check) {
  constexpr size_t kLong = size_t{1} << 20;
  if (bytes > kLong) return copy_in_blocks(check.context(), to, from, bytes);
  check.step(1 + static_cast<int64_t>(bytes / 8));
  copy_bytes(to, from, bytes);
}

}  // namespace coracle::internal
