// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle::internal::test {

/// A quarter of `count` under sanitizers, which are many times slower: for tests that try as many as there is time for.
constexpr int as_time_allows(int count) {
#ifdef CORACLE_SANITIZED
  return (count + 3) / 4;
#else
  return count;
#endif
}

}  // namespace coracle::internal::test
