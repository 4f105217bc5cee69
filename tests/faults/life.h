// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "coracle/coracle.h"

/// What a program does with a model, from loading to freeing, by the C interface.
namespace coracle::internal::test {

struct Subject {
  std::string name;
  std::string path;                 ///< of a folder or a file
  std::vector<Tensor> inputs = {};  ///< of a run; missing ones are made
};

/// One way through all steps.
class Life {
 public:
  explicit Life(const Subject& subject) : subject_(subject) {}
  ~Life();
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  /// The answers of the session, or the clone, that has run: types, shapes, sequence offsets and elements.
  std::string answers(bool of_clone) const;

  // One step each. A step that fails changes nothing. None takes memory but by the library.
  coracle_status load();
  coracle_status make_session();
  coracle_status set_inputs();
  coracle_status run();
  coracle_status run_async();
  coracle_status make_clone();
  coracle_status set_inputs_of_clone();
  coracle_status run_clone();
  coracle_status write_texts();
  coracle_status release();
  coracle_status free_all();

 private:
  coracle_status set_inputs(coracle_session* session) const;

  const Subject& subject_;
  coracle_model* model_ = nullptr;
  coracle_session* session_ = nullptr;
  coracle_session* clone_ = nullptr;
};

struct Step {
  const char* name;
  coracle_status (Life::*take)();
  enum class Runs : uint8_t { kNothing, kSession, kClone } runs = Runs::kNothing;
};
/// All of them in order.
std::span<const Step> steps();

/// `subject` with inputs for all that its model takes: a free first size is 1, other free ones are `size`.
Subject with_inputs(Subject subject, int64_t size);

}  // namespace coracle::internal::test
