// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/graph_model.h"
#include "support/late_device.h"

namespace coracle::internal::test {

/// A graph (or its text) as a model on devices, where every node runs that they take, however small.
template <class G>
std::shared_ptr<const Model> model_on(const std::vector<std::shared_ptr<LateDevice>>& devices, G&& graph,
                                      std::vector<std::string> disabled = {}) {
  ModelOptions options;
  options.kernels.disabled = std::move(disabled);
  options.kernels.disabled.emplace_back("islands");
  for (const auto& device : devices) options.kernels.devices.push_back(use(device));
  return model_of(std::forward<G>(graph), options);
}

/// While it lives, devices refuse nodes by chance.
class Refusals {
 public:
  Refusals(unsigned seed, int percent) { refuse_nodes(seed, percent); }
  ~Refusals() { refuse_nodes(0, 0); }
  Refusals(const Refusals&) = delete;
  Refusals& operator=(const Refusals&) = delete;
};

}  // namespace coracle::internal::test
