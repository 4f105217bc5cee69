// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "loading/model.h"
#include "plan/steps.h"

/// What the interface says as JSON.
namespace coracle::internal {

std::string describe(const ModelInfo& info);
/// The same with what rewriting made of it.
std::string describe(const Model& model);
/// The devices beside the host that this machine has, and why there is none of a kind.
std::string describe_devices();
/// Engines by their names: version and file, or what is missing.
std::string describe_engines(const std::vector<std::string>& names);
/// Which engine runs which node, and why others run natively.
std::string describe_engines(const Model& model);
/// The kernels of planned steps.
std::string describe(const Steps& steps, const Graph& graph, const KernelSelector& selector);

}  // namespace coracle::internal
