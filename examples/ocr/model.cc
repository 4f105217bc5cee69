// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <coracle/coracle.hpp>

namespace ocr {

struct Model::Loaded {
  coracle::api::Model model;
  coracle::api::Session session;
};

Model::Model(const std::string& folder, int threads) {
  // Earlier models declare the size that they were exported with, and are used with others.
  coracle::api::ModelOptions options;
  options.allow_other_shapes = true;
  coracle::api::Model model(folder, {}, options);
  coracle::api::Session session(model, {.threads = threads});
  loaded_ = std::make_unique<Loaded>(Loaded{std::move(model), std::move(session)});
}

Model::~Model() = default;

Tensor Model::run(std::span<const float> input, const std::array<std::int64_t, 4>& shape) {
  coracle::api::Session& session = loaded_->session;
  session.set_input(0, {shape.begin(), shape.end()}, input);
  session.run();
  const coracle::api::View output = session.output(0);
  return {output.values<float>(), output.dims()};
}

}  // namespace ocr
