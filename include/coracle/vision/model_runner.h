// SPDX-License-Identifier: Apache-2.0
// Models that run elsewhere than in a session of their own: a server's, whose runs are joined with those of others.
#pragma once

#include <atomic>
#include <coracle/coracle.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coracle/vision/image.h"

namespace coracle::vision {

/// An input of a run: row-major numbers, which stay as they are until it ends.
struct RunInput {
  coracle::Dims dims;
  coracle::Span<const float> values;
};

/// A model that runs, for one thread at a time. What its methods throw comes out of whoever uses it.
class ModelRunner {
 public:
  virtual ~ModelRunner() = default;

  virtual const std::vector<coracle::TensorInfo>& inputs() const = 0;
  virtual const std::vector<coracle::TensorInfo>& outputs() const = 0;
  /// Runs the model once with all its inputs, in their order. When another thread sets the lowest bit of `cancelled` it
  /// ends soon with coracle::Exception (CORACLE_CANCELLED); null: nobody does.
  virtual void run(const std::vector<RunInput>& inputs, const std::atomic<std::uint32_t>* cancelled) = 0;
  /// An output of the last run, as it is until the next one.
  virtual coracle::View output(std::size_t index) const = 0;
};

/// Gives what runs the model at a path, whose parameter file may be named. Where several threads make what is given the
/// same function, they call it at the same time.
using OpenModel = std::function<std::unique_ptr<ModelRunner>(const std::string& model, const std::string& params)>;

/// Gives sessions of `threads` threads (0: as many as there are processors) that share their models: each is loaded and
/// held once, however many predictors or readers are made with it. Any number of threads may call it.
CORACLE_VISION_API OpenModel open_shared(int threads);

/// How the models of a reader run.
struct ReaderOptions {
  int threads = 0;   ///< of sessions of its own; 0: as many as there are processors
  OpenModel open{};  ///< empty: each model runs in a session of its own
};

}  // namespace coracle::vision
