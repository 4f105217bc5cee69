// SPDX-License-Identifier: Apache-2.0
// The level of a title by the number that it begins with.
#pragma once

#include <string>

namespace coracle::vision {

struct LeveledTitle {
  std::string text;  ///< with one space after the number, without points at the end
  int level = 1;     ///< 1 and one more for each point
};

/// As PaddleX does: numbers are 1, 2.1, (3), 一、, （二） or IV.
LeveledTitle leveled(const std::string& title);

}  // namespace coracle::vision
