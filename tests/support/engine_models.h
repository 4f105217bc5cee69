// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "support/chance_engine.h"
#include "support/graph_model.h"

namespace coracle::internal::test {

/// Blocks of any cost are made, and none are cached on disk.
inline ModelOptions with_engines(const EngineChoice& choice) {
  ModelOptions options;
  options.engines = choice;
  options.engines.cache = FileCache({}, 0);  // none
  options.passes.disabled = {"engine_cost"};
  return options;
}

/// The same blocks, but each runs natively: its engine is not there.
inline std::shared_ptr<const Model> natively(const std::shared_ptr<const Model>& model) {
  ModelOptions options;
  options.passes.disabled = {"all"};
  return model_of(Graph(model->program()->graph()), options);
}

}  // namespace coracle::internal::test
