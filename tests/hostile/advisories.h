// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor.h"
#include "graph/attributes.h"

namespace coracle::internal::test {

/// A tensor of an advisory: `values` over and over, until it is full.
struct Content {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<double> values = {1};

  Tensor tensor() const;
};

/// A use of an operator that a published advisory (or a report) says Paddle's kernel did not survive, or a near one.
struct Advisory {
  const char* id;    ///< PDSA-..., or the number of a report in Paddle's own list
  const char* name;  ///< of the case
  const char* op;    ///< its name here and in PIR
  std::vector<Content> operands;
  std::vector<std::pair<const char*, AttributeValue>> attributes;  ///< PIR names
  const char* error;                                               ///< what its text contains; null for an answer
  std::vector<Content> answers;

  friend std::ostream& operator<<(std::ostream& out, const Advisory& a) { return out << a.id << " " << a.name; }
};

/// All of them.
const std::vector<Advisory>& advisories();

/// Models of one operator in the bytes of a ProgramDesc and of a PIR file; all operands are inputs.
std::string program_of(const Advisory& advisory);
std::string pir_of(const Advisory& advisory);

}  // namespace coracle::internal::test
