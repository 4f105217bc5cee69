// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coracle/coracle.hpp"
#include "serve/config_reader.h"
#include "serve/inference.h"

/// Runs of a model before its first request, so that this one is as fast as the next.
namespace coracle::serve {

struct WarmUpTensor {
  std::optional<coracle_dtype> dtype;  ///< none: the model's
  coracle::Dims dims;                  ///< without the batch where the sample has a batch_size
  bool random = false;                 ///< else zeros
};

/// Names and meaning are those of Triton's ModelWarmup.
struct WarmUpSample {
  std::string name;
  int64_t batch_size = 0;
  int count = 1;
  std::map<std::string, WarmUpTensor> inputs;  ///< a model's only input may be called ""
};

/// A field model_warmup of a config.pbtxt. Throws Failure.
WarmUpSample read_warm_up(const ConfigReader& reader, const TextField& field);
/// "x:1x3x48x320,mask:1x48", or "1x3x48x320" for a model with one input. Throws Failure.
WarmUpSample parse_warm_up(std::string_view shapes);
/// The same where sizes may be ranges (client::each_size): a sample for each combination.
std::vector<WarmUpSample> parse_warm_ups(std::string_view shapes);
/// One row of zeros for a model all of whose other sizes are known.
std::optional<WarmUpSample> sample_of(const std::vector<coracle::TensorInfo>& inputs);

/// The inputs that a sample describes, by input of the model. Random numbers are from 0 to 1, whole ones 0 or 1, and
/// the same each time; rows of sequences are one sequence. Throws Failure.
std::vector<Tensor> inputs_of(const WarmUpSample& sample, const std::vector<coracle::TensorInfo>& inputs);

}  // namespace coracle::serve
