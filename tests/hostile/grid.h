// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "support/hostile_operator.h"

namespace coracle::internal::test {

/// A wrong use of an operator: a node, most often one that runs, with one thing changed.
struct BadUse {
  std::string name;  ///< "attribute axis = -9223372036854775808"
  HostileNode node;
  /// The facts of the operands where they are too large to exist: such a node is inferred and planned only. Empty where
  /// the node's operands are meant.
  std::vector<Fact> facts;
};

struct BaseNode {
  HostileNode node;
  bool runs = false;
};

/// A node of `schema` that runs or, where none is found, any: `seed` chooses among them.
BaseNode base_node(const OpSchema& schema, unsigned seed);

/// Calls `use` with every bad use of the grid that `base` gives: ranks, sizes, element types, operands left out or
/// given twice, numbers of attributes and of index operands at the ends of their types, lists of wrong lengths, reals
/// that are no numbers, regions that do not fit.
void for_each_bad_use(const HostileNode& base, const std::function<void(const BadUse&)>& use);

/// Infers and plans a node of operands that do not exist; Errors are answers. Whatever else is thrown comes out.
void infer_bad_use(const BadUse& use);

}  // namespace coracle::internal::test
