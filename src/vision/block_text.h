// SPDX-License-Identifier: Apache-2.0
// What lines of text within a block say: they are put in rows, and rows joined to paragraphs.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vision/layout_block.h"

namespace coracle::vision::reading {

/// A part of a row that was read at once. Sides are left, top, right and bottom.
struct Piece {
  std::array<double, 4> sides{};
  std::string text;
};

/// Sets the block's text, its direction and what is known of its lines. Without pieces it has no text.
void set_text(LayoutBlock& block, const std::vector<Piece>& pieces);

/// The last and the first character of UTF-8 text; empty where there is none.
std::string_view last_character(std::string_view text);
std::string_view first_character(std::string_view text);
/// The number of a character of UTF-8; 0 of none.
char32_t code_of(std::string_view character);
/// From U+4E00 to U+9FFF.
bool is_chinese(std::string_view character);
/// Where Python finds a space.
bool is_space(char32_t code);

}  // namespace coracle::vision::reading
