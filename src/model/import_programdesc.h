// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/model_info.h"
#include "graph/operator_set.h"
#include "model/programdesc.h"

namespace coracle::internal {

/// What the program says about itself. Never fails for what cannot be run: see ModelInfo::unsupported.
ModelInfo describe(const programdesc::Program& program, const OperatorSet& operators = OperatorSet());

/// The program as a graph. `parameters` are in the order of `info.parameters`, and nothing in `info` is unsupported.
/// Variables written in place become several values; sub-blocks become closed regions.
Graph import(const RunContext& context, const programdesc::Program& program, const ModelInfo& info,
             std::vector<Tensor> parameters, const OperatorSet& operators = OperatorSet());

}  // namespace coracle::internal
