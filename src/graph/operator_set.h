// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "graph/custom_operator.h"

namespace coracle::internal {

using CustomOperators = std::vector<std::shared_ptr<const CustomOperator>>;

/// Adds an operator to those that all models of the process may use. Throws Error where Coracle, or the process, has
/// one of its name. For any thread.
void register_operator(std::shared_ptr<const CustomOperator> op);
/// How many there are.
size_t registered_operators();
/// Takes it back; models that have it keep it. False where there is none. For any thread.
bool unregister_operator(std::string_view name);

/// The operators that the file of a model may name: Coracle's, the model's own, and those of the process as they were
/// when the set was made.
class OperatorSet {
 public:
  OperatorSet() : OperatorSet(CustomOperators()) {}
  /// `own` come before those of the process. Throws Error where two of them, or one and Coracle, share a name.
  explicit OperatorSet(CustomOperators own);

  /// The schema of a PIR name / of a ProgramDesc type, or null.
  const OpSchema* find(std::string_view name) const;
  const OpSchema* find_legacy(std::string_view type) const;
  /// That of a custom operator, or null.
  const OpSchema* find_custom(std::string_view name) const;

 private:
  CustomOperators custom_;
};

}  // namespace coracle::internal
