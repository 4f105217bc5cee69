// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "coracle/coracle.hpp"
#include "quantize/input_sets.h"
#include "quantize/rewrite.h"

namespace coracle::internal::quantize {

using SessionHandle = std::unique_ptr<coracle_session, void (*)(coracle_session*)>;

/// How models are loaded and run, and what ends that.
struct Runs {
  const coracle_session_options* session = nullptr;  ///< null: the defaults
  const uint32_t* cancelled = nullptr;               ///< its lowest bit ends all; null: nothing does

  /// Throws Error (kCancelled) once it is to end.
  void require_wanted() const;
  coracle::Model load(const std::string& model, const std::string& params) const;
  /// One whose every operator computes every value that the file names there.
  coracle::Model load_as_in_the_file(const std::string& model, const std::string& params) const;
  coracle::Model load(const ModelBytes& model) const;
  SessionHandle session_of(const coracle::Model& model) const;
  /// Sets all inputs of a session and runs it. Throws what says which set it was.
  void run(coracle_session* session, const InputSet& set) const;

 private:
  coracle::ModelOptions options() const;
};

}  // namespace coracle::internal::quantize
