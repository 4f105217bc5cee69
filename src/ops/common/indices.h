// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

/// Indices that come as data: checked where they are used, and refused with the place they came from.
namespace coracle::internal {

/// "index 100 (element 1 of Ids) is out of range: expected 0 to 19": `element` is a position in the operand (or other
/// value) of that name, `least` and `most` are the indices that there are; none where least > most.
std::string out_of_range_text(int64_t index, const char* operand, int64_t element, int64_t least, int64_t most);

[[noreturn]] void fail_index(int64_t index, const char* operand, int64_t element, int64_t least, int64_t most);

/// `index`, an element of `operand`. Throws Error (run failure) unless 0 <= index < bound.
inline int64_t checked_index(int64_t index, int64_t bound, const char* operand, int64_t element) {
  if (index < 0 || index >= bound) [[unlikely]]
    fail_index(index, operand, element, 0, bound - 1);
  return index;
}

/// The same where negative indices count from the end: from -bound on, and given back counted from the front.
inline int64_t index_from_front(int64_t index, int64_t bound, const char* operand, int64_t element) {
  if (index < -bound || index >= bound) [[unlikely]]
    fail_index(index, operand, element, -bound, bound - 1);
  return index < 0 ? index + bound : index;
}

}  // namespace coracle::internal
