// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Many sets of shapes in one text.
namespace coracle::client {

/// What people write of the shapes of inputs, one each, where a size may be a range: "words=1..10x32..128/32x1" has the
/// sizes 1 to 10 and 32, 64, 96 and 128. Returns these texts with numbers in place of ranges, for every combination;
/// the largest comes first, so that memory grows once. Ranges that are written the same vary together, as the batch of
/// several inputs does. Texts without ranges are returned as they are. Throws Error for what is not a range of sizes.
std::vector<std::vector<std::string>> each_size(const std::vector<std::string>& shapes);

}  // namespace coracle::client
