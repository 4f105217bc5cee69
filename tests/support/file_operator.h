// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"

namespace coracle::internal::test {

/// The ports of an operator. Schemas of operators that exist in files only need not list them: then those that all of
/// these have, X and Y in, Out out.
std::span<const Port> input_ports(const OpSchema& schema);
std::span<const Port> output_ports(const OpSchema& schema);

/// What one operator of a file becomes in `graph`: of a ProgramDesc or, where it has no name there, of a PIR program.
/// Gives the values that its results stand for. Throws Error.
std::vector<ValueId> lower_from_file(Graph& graph, const OpSchema& schema, const AttributeMap& attributes,
                                     const PortValues& inputs, const PortCounts& output_counts);

/// The attributes of an operator as its file would give them to lower_from_file.
AttributeMap attributes_of_file(const OpSchema& schema, void* attributes);

}  // namespace coracle::internal::test
