// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Operations of PIR by the names that ProgramDesc has for them, and their slots.
namespace coracle::internal::quantize {

struct PirOperation {
  const char* name;  ///< in PIR, without dialect and trailing '_'
  const char* type;  ///< in ProgramDesc
  std::vector<const char*> inputs;
  std::vector<const char*> outputs;
};

/// The entry of an operation, or null where slots are called by their number but for X, Y and Out.
const PirOperation* find_pir_operation(std::string_view name);
std::string input_slot(const PirOperation* operation, size_t at);
std::string output_slot(const PirOperation* operation, size_t at);

}  // namespace coracle::internal::quantize
