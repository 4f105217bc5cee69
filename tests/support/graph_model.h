// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "graph/text.h"
#include "loading/model.h"

namespace coracle::internal::test {

/// A graph as a model: its inputs and outputs are the model's.
inline std::shared_ptr<const Model> model_of(Graph graph, const ModelOptions& options = {}) {
  LoadedModel loaded;
  for (ValueId v : graph.inputs()) {
    loaded.info.inputs.push_back({graph.value(v).name, graph.fact(v).dtype, graph.fact(v).shape, 0});
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const Fact& fact = graph.fact(graph.outputs()[i]);
    loaded.info.outputs.push_back({graph.output_names()[i], fact.dtype, fact.shape, 0});
  }
  loaded.graph = std::move(graph);
  return Model::make(std::move(loaded), options);
}

inline std::shared_ptr<const Model> model_of(std::string_view text, const ModelOptions& options = {}) {
  return model_of(parse(text), options);
}

}  // namespace coracle::internal::test
