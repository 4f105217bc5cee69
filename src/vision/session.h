// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "coracle/vision/model_runner.h"
#include "vision/answers.h"
#include "vision/mask.h"
#include "vision/model_place.h"

namespace coracle::vision {

/// Whoever sets its lowest bit ends the runs that are given it with coracle::Exception (CORACLE_CANCELLED); null:
/// nobody.
using Cancelled = const std::atomic<std::uint32_t>*;

/// A model that takes pictures, and what runs it.
class PictureModel {
 public:
  PictureModel(const ModelPlace& place, const std::string& params, const ReaderOptions& options);

  /// The dimensions of the input that takes pictures, as declared.
  const std::vector<std::int64_t>& input_dims() const { return dims_; }
  /// Runs `count` prepared pictures of one size (`values`: count x 3 x height x width). Other inputs, which object
  /// detectors have, get the size and the scale of `prepared`.
  void run(const Prepared& prepared, const std::vector<float>& values, std::int64_t count, Cancelled cancelled);
  bool has_input(const std::string& name) const;
  std::size_t outputs() const { return runner_->outputs().size(); }
  /// How many dimensions the outputs have by the model's own words; 0 also where it does not say.
  std::vector<std::size_t> declared_ranks() const;
  /// The dimensions of the outputs by the model's own words, negative where they are free; empty where it does not say.
  std::vector<std::vector<std::int64_t>> declared_outputs() const;
  std::size_t output_rank(std::size_t index) const;
  /// An output of real or integers.
  Output output(std::size_t index) const;
  /// An output of three dimensions, as it is: masks may be too large to be converted.
  MaskPlanes planes(std::size_t index) const;

 private:
  [[noreturn]] void refuse(std::size_t index, coracle_dtype dtype) const;

  std::unique_ptr<ModelRunner> runner_;
  std::size_t picture_input_ = 0;
  std::vector<std::int64_t> dims_;
  std::string path_;
};

}  // namespace coracle::vision
