// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare/difference.h"
#include "cli/compare/side.h"

namespace coracle::cli {

/// A result of an operator on both sides.
struct ValuePair {
  SeenValue a;
  SeenValue b;
  std::string type;  ///< "float32[1, 8, 24, 96]", of a
  Difference difference;
};

struct ValueComparison {
  size_t common = 0;               ///< results that both sides have
  size_t compared = 0;             ///< of them, up to the first that differs unless all are wanted
  std::optional<ValuePair> first;  ///< the first, in the order of a, that does not agree
  std::string before;              ///< name of the last one before it that both have; empty if there is none
};

/// Compares what operators of both sides compute under the same name, in the order of side a. A name that one side
/// computes more often than the other (in place, where rewriting left out a step) is not compared. With `all` it does
/// not end at the first difference. `tell`, if given, is called for each pair.
ValueComparison compare_values(Side& a, Side& b, const std::vector<NamedInput>& inputs, const Tolerance& tolerance,
                               bool all, const std::function<void(const ValuePair&)>& tell);

/// Whether outputs agree with those they are compared with.
using Agrees = std::function<bool(const std::vector<Output>& outputs)>;

struct RewriteSearch {
  int64_t total = 0;                ///< rewrites of the model
  bool responsible = false;         ///< without rewriting the outputs agree; then what follows is known
  int64_t number = 0;               ///< with this one they no longer do, without it and later ones they do
  std::string pass;                 ///< that it belongs to
  bool alone = false;               ///< leaving out this pass makes the outputs agree
  std::vector<std::string> before;  ///< lines of the graph's text that it changed
  std::vector<std::string> after;
};

/// Finds by bisection the rewrite of a model that makes the outputs differ.
RewriteSearch find_rewrite(const ModelSide& side, const std::vector<NamedInput>& inputs, const Agrees& agrees);

/// Whether outputs agree once these kernels are left out.
bool agrees_without_kernels(const ModelSide& side, const std::string& kernels, const std::vector<NamedInput>& inputs,
                            const Agrees& agrees);

}  // namespace coracle::cli
