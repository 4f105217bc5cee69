// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/inference.h"

/// Requests to run a model, and their answers, as clients know them, whatever protocol carries them.
namespace coracle::serve {

/// Elements in row-major order, little-endian, kept alive by `owner`. Nothing of it was checked.
struct InferInput {
  std::string name;
  std::string datatype;  ///< as the protocol calls it: "FP32"
  coracle::Dims shape;
  coracle::Lod lod;
  std::shared_ptr<const void> owner;
  const void* data = nullptr;
  size_t bytes = 0;
};

struct InferRequest {
  std::vector<InferInput> inputs;
  std::vector<std::string> outputs;           ///< names; empty: all
  uint64_t priority = 0;                      ///< 1 is the highest, 0 the model's default
  uint64_t timeout_us = 0;                    ///< 0: none
  std::optional<Clock::time_point> deadline;  ///< of the client's call, besides the timeout
  std::shared_ptr<const void> kept;           ///< until it was answered
  std::shared_ptr<RequestRecord> record;      ///< for those who watch; may be null
};

struct InferOutput {
  std::string name;
  std::string datatype;
  Tensor tensor;
};

struct InferAnswer {
  std::string model;
  std::string version;
  std::vector<InferOutput> outputs;  ///< as the request names them
  std::optional<Failure> failure;
};

/// Takes the answer to a request. Does not throw; called once, by any thread.
using Answered = std::function<void(const InferAnswer&)>;
/// Ends work whose result nobody wants any more; may be called by any thread, also when the work is done.
using Cancel = std::function<void()>;

}  // namespace coracle::serve
