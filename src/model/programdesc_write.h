// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/new_operator.h"
#include "model/programdesc.h"

/// Writes ProgramDesc messages: new ones, and those that were read with what changed.
namespace coracle::internal::programdesc {

/// The message of a variable.
std::string bytes_of(const NewVariable& v);
/// The message of an operator.
std::string bytes_of(const NewOperator& o);
/// The message of `o` that reads other variables: those that `variables` gives for an input slot, where that is not
/// null. All else stays as it is.
std::string with_inputs(const Operator& o,
                        const std::function<const std::vector<std::string>*(const Slot&)>& variables);

/// The file of `program` whose main block has these messages of variables and operators. All else stays as it is.
std::string file_with(const Program& program, std::span<const std::string_view> variables,
                      std::span<const std::string_view> operators);

/// A TensorDesc message, as it also heads each parameter record.
std::string tensor_desc(DType dtype, std::span<const int64_t> dims);

}  // namespace coracle::internal::programdesc
