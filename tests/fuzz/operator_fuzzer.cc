// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "support/hostile_operator.h"

// Any operator with any attributes and operands: results or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::internal;
  size_t at = 0;
  const auto choose = [&]() -> uint64_t {
    // Two bytes are more choices than any decision has; behind the end all is 0.
    uint16_t value = 0;
    const size_t count = at < size ? std::min(sizeof(value), size - at) : 0;
    std::memcpy(&value, data + at, count);
    at += count;
    return value;
  };
  const std::span<const OpSchema* const> ops = all_ops();
  test::run_hostile_node(*ops[choose() % ops.size()], choose);
  return 0;
}
