// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graph/attribute_reads.h"
#include "graph/op.h"

namespace coracle::internal {

/// Throws Error (kUnsupported) if a file gives an operator an attribute that its translation has never asked for, that
/// may change its results, and whose value is not the one that Paddle takes where it is missing.
void check_attributes(std::string_view type, bool is_pir, const OpSchema& schema, const AttributeReads& reads);

/// Why an attribute of an operator may go unread, whatever its value; null if it may not.
const char* reason_to_ignore(std::string_view type, std::string_view attribute);

/// An attribute of an operator as Paddle registers it.
struct KnownAttribute {
  std::string_view name;
  std::string_view missing;  ///< what Paddle takes where it is missing, as value_text writes it; empty: nothing
};

/// What Paddle registers for an operator, sorted by name; empty for operators that it does not know.
std::vector<KnownAttribute> known_attributes(std::string_view type, bool is_pir);

/// A value as known_attributes.txt has it. Two values with the same text are the same to an operator.
std::string value_text(const AttributeValue& value);

}  // namespace coracle::internal
