// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "triton/model_state.h"

namespace coracle::triton {

/// The dimensions and the type of an input of a request.
struct InputHead {
  coracle_dtype dtype = CORACLE_FLOAT32;
  Dims dims;
};

/// What runs a model, for one call of the server at a time.
class Instance {
 public:
  Instance(TRITONBACKEND_ModelInstance* handle, const ModelState& model);

  /// Answers all requests and releases them. Requests whose inputs differ in their rows alone run together; where that
  /// fails, each runs alone, so that a request gets no error but its own.
  void execute(const std::vector<TRITONBACKEND_Request*>& requests);

 private:
  /// A request that waits for its run.
  struct Waiting {
    TRITONBACKEND_Request* request;
    int64_t rows = 1;  ///< of its batch
    std::vector<InputHead> inputs = {};
  };
  /// Times of a run, in nanoseconds of the steady clock.
  struct Times {
    uint64_t begin = 0, compute_begin = 0, compute_end = 0;
  };

  Waiting read(TRITONBACKEND_Request* request) const;
  bool together(const Waiting& a, const Waiting& b) const;
  /// Runs requests as one batch and answers them; false, with nothing answered, where the run fails and there are
  /// several.
  bool run(const std::vector<Waiting>& batch);
  Times compute(const std::vector<Waiting>& batch, int64_t rows);
  void gather(const std::vector<Waiting>& batch, size_t input, std::vector<std::byte>& bytes) const;
  /// Sends the rows from `row` on of the outputs; false: an error in their place.
  bool answer(const Waiting& waiting, int64_t row, bool alone) const;
  void finish(TRITONBACKEND_Request* request, bool succeeded, const Times& times) const;
  void refuse(TRITONBACKEND_Request* request) const;

  TRITONBACKEND_ModelInstance* handle_;
  const ModelState& model_;
  Session session_;
  std::vector<std::vector<std::byte>> bytes_;  ///< of each input, which the session borrows
};

}  // namespace coracle::triton
