// SPDX-License-Identifier: Apache-2.0
// The one place where this program meets Coracle.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ocr {

// Row-major numbers; the memory belongs to the model that gave them and holds until its next run.
struct Tensor {
  std::span<const float> data;
  std::vector<std::int64_t> shape;

  // Part `index` along the first axis.
  std::span<const float> part(std::size_t index) const {
    const std::size_t size = data.size() / static_cast<std::size_t>(shape[0]);
    return data.subspan(index * size, size);
  }
};

// A Paddle model with one input and one output of float32, and a session of its own: for one thread at a time.
class Model {
 public:
  // `folder` holds inference.pdmodel and inference.pdiparams; `threads` 0 means one per core. Throws with Coracle's
  // message.
  Model(const std::string& folder, int threads);
  ~Model();

  // Batch, channels, height, width.
  Tensor run(std::span<const float> input, const std::array<std::int64_t, 4>& shape);

 private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace ocr
