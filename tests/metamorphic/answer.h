// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "loading/model.h"
#include "metamorphic/subjects.h"
#include "run/session.h"

/// Answers of a program in different ways, and how they may differ.
namespace coracle::internal::test {

/// The answer for some inputs, or the error they end in.
struct Answer {
  std::vector<Tensor> outputs;
  std::string error;
  /// The same types, bits and sequence offsets, or errors both.
  friend bool operator==(const Answer& a, const Answer& b);
};

Answer answer(Session& session, const Inputs& inputs);

/// Random operators give other numbers in each run.
bool repeats(const Model& model);

/// False where answers jump: another rounding before some operators may choose another number, box or branch.
bool is_smooth(const Model& model);

/// Why two answers are not those of the same program with other roundings; empty if they are. Errors are compared
/// against the largest element.
std::string difference_in_rounding(const Answer& want, const Answer& got);

}  // namespace coracle::internal::test
