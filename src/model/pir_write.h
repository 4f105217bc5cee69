// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/new_operator.h"
#include "model/pir.h"

/// Writes PIR programs: new operations, and those that were read with what changed.
namespace coracle::internal::pir {

/// A program's file: its main block's parameters and operations, and what is before and behind them.
struct FileText {
  std::string_view head;
  std::vector<std::string_view> operations;  ///< by Parameter::index and Operation::index
  std::string_view tail;
};

/// The parts of a file that `parse` has read.
FileText file_text(std::string_view file);

/// The parameter operation of a tensor.
std::string parameter_text(const NewVariable& v, int64_t id, bool trainable);

/// A value that an operation defines.
struct NewResult {
  int64_t id;
  NewVariable variable;
};
/// An operation; an operand of 0 is none.
std::string operation_text(const NewOperator& o, std::span<const int64_t> operands, std::span<const NewResult> results,
                           bool trainable);

/// An operation that reads other values: those that `other` gives for the number of an operand. All else stays as it
/// is.
std::string with_operands(std::string_view operation, const std::function<std::optional<int64_t>(size_t)>& other);

/// The file with these operations in the main block. All else stays as it is.
std::string file_with(const FileText& file, std::span<const std::string_view> operations);

}  // namespace coracle::internal::pir
