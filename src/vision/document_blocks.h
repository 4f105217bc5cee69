// SPDX-License-Identifier: Apache-2.0
// From regions, lines and tables of a page to the blocks that one reads, in their order, as PaddleX's pipeline
// PP-StructureV3 makes them.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "coracle/vision/document_reader.h"

namespace coracle::vision {

/// Reads a part of the page (left, top, right, bottom) as one line; nothing where it is not sure.
using ReadPart = std::function<std::optional<std::string>(const std::array<int, 4>& part)>;

struct BlocksOfPage {
  std::vector<Block> blocks;
  std::vector<std::size_t> regions;  ///< all of the document in the order of reading, by their place there
};

/// `ordered`: the regions are in the order of reading. Lines that lie in several regions are read once more in each,
/// and so are regions without lines. An empty `read`: such lines belong to the region that has most of them.
BlocksOfPage blocks_of(const Document& document, bool ordered, const ReadPart& read);

/// The document with its blocks and, unless they are in it, with its regions and tables in the order of reading. A
/// region that another covers gives no block and comes after that one.
void set_blocks(Document& document, bool ordered, const ReadPart& read);

/// The document's blocks; of a document that has none those which follow from the rest of it.
std::vector<Block> blocks_or_made(const Document& document);

}  // namespace coracle::vision
