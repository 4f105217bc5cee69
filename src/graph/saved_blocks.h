// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// Parts of a model that run on engines, with a description that files can hold.
namespace coracle::internal {

/// Sizes that an input of a model has: at least, mostly and at most. All of one rank, without -1.
struct ShapeRange {
  std::string input;
  std::vector<int64_t> min, opt, max;
};

/// What an engine has saved of a block that it compiled.
struct SavedCompiled {
  using Key = std::array<uint64_t, 3>;
  std::string version = {};    ///< of the engine's library
  std::string processor = {};  ///< that it was compiled on, for people
  Key key{};                   ///< of all that it was compiled from, these two included (sum_of an engine_key)
  uint32_t checksum = 0;       ///< CRC-32 of the bytes
  std::shared_ptr<const void> data = {};
  size_t bytes = 0;

  std::span<const uint8_t> content() const { return {static_cast<const uint8_t*>(data.get()), bytes}; }
};

/// Nodes that an engine runs as one.
struct SavedBlock {
  std::string engine = {};          ///< as people write it: "openvino:GPU"
  int32_t graph = 0;                ///< number of the nodes' graph (numbered_graphs)
  std::vector<int32_t> nodes = {};  ///< places in the graph's order, rising
  std::vector<SavedCompiled> compiled = {};
};

struct SavedBlocks {
  std::vector<SavedBlock> blocks = {};
  std::vector<ShapeRange> ranges = {};  ///< of the inputs, that blocks are compiled for
};

}  // namespace coracle::internal
