// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/compare/difference.h"
#include "cli/compare/locate.h"

namespace coracle::cli {

/// An output of both sides: the worst of all sets of inputs.
struct OutputPair {
  std::string name;
  std::string a_type;
  std::string b_type;
  Difference difference;
};

/// Where a difference comes from, as far as it was found.
struct Origin {
  bool values_shown = false;  ///< whether results of operators could be compared
  ValueComparison values;
  std::string kernel_a;  ///< of the operator that differs first
  std::string kernel_b;
  std::string kernel;  ///< the one of these without which the outputs agree
  std::string kernel_side;
  struct Rewriting {
    std::string side;
    RewriteSearch search;
  };
  std::vector<Rewriting> rewriting;
};

struct Comparison {
  std::string a;
  std::string b;
  Tolerance tolerance;
  size_t sets = 0;
  std::vector<OutputPair> outputs;
  std::vector<std::string> unpaired;  ///< outputs that only one side has
  std::vector<ValuePair> operators;   ///< with --operators
  std::optional<Origin> origin;

  size_t differing() const;
  bool agrees() const { return differing() == 0 && unpaired.empty(); }
};

std::string text_of(const Comparison& c);
std::string json_of(const Comparison& c);

}  // namespace coracle::cli
