// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/hostile_operator.h"

/// Attributes of operators that exist in files only: their schemas list none, what reads them decides.
namespace coracle::internal::test {

struct FileAttribute {
  std::string name;
  AttributeValue sample;  ///< of the kind that is expected
};

/// The attributes that reading such an operator looks at.
const std::vector<FileAttribute>& attributes_read(const OpSchema& schema);
/// A value that no reader of an attribute like `sample` takes.
AttributeValue of_another_kind(const AttributeValue& sample);
/// Sets about half of them to what a file could have.
void draw_file_attributes(HostileNode& node, const Choose& choose);

}  // namespace coracle::internal::test
