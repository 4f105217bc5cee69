// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/dtype.h"

/// Constants of a model in the order of a kernel, as plain bytes with a description that files can hold.
namespace coracle::internal {

class Graph;

/// All that packed bytes follow from. Equal keys of one model mean equal bytes.
struct PackedKey {
  int32_t graph = 0;                ///< number of the constants' graph (numbered_graphs)
  std::vector<int32_t> values;      ///< the constants
  std::vector<DType> types;         ///< as they were packed: half ones may have been widened before
  std::string layout;               ///< name with version of what the bytes are ("gemm.b.panels.v1")
  std::vector<int64_t> parameters;  ///< of the layout

  friend auto operator<=>(const PackedKey&, const PackedKey&) = default;  // NOLINT(modernize-use-nullptr): none is here
};

/// "the packed weights gemm.b.panels.v1 of graph 0, values 12 13".
std::string describe(const PackedKey& key);

struct PackedConstants {
  PackedKey key;
  std::shared_ptr<const void> data;  ///< 64-byte aligned
  size_t bytes = 0;
};

/// A graph and the regions within it, as files number them: those of a node follow all that were met before.
std::vector<const Graph*> numbered_graphs(const Graph& graph);

}  // namespace coracle::internal
