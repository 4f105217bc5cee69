// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coracle/coracle.hpp"
#include "serve/batch_options.h"
#include "serve/ensemble_config.h"
#include "serve/warm_up.h"

/// How a model is served: the part of Triton's config.pbtxt (ModelConfig) that makes sense here.
/// https://github.com/triton-inference-server/common/blob/main/protobuf/model_config.proto
namespace coracle::serve {

struct TensorConfig {
  std::string name;
  coracle_dtype dtype = CORACLE_FLOAT32;
  coracle::Dims dims;  ///< without the batch where max_batch_size is not 0; -1: any size
};

/// Which versions of a model are served.
struct VersionPolicy {
  enum class Kind : uint8_t { kLatest, kAll, kSpecific };
  Kind kind = Kind::kLatest;
  uint32_t latest = 1;
  std::vector<int64_t> specific;
};

/// Platforms of what is served by other models: one of Triton's and one of our own.
inline constexpr const char* kEnsemblePlatform = "ensemble";
inline constexpr const char* kTextReaderPlatform = "coracle_reader";

struct ModelConfig {
  std::string name;
  std::string platform = "paddle_coracle";
  BatchOptions batching;
  bool dynamic_batching = false;
  std::vector<TensorConfig> inputs;
  std::vector<TensorConfig> outputs;
  VersionPolicy versions;
  int instances = 0;  ///< 0: as many as the server chooses
  std::map<std::string, std::string> parameters;
  std::vector<WarmUpSample> warm_up;
  std::vector<EnsembleStep> ensemble;  ///< its steps, where it is one

  std::vector<std::string> ignored;  ///< fields that were read and change nothing here
};

/// Reads a config.pbtxt. Fields without a meaning here are ignored where answers do not depend on them; others fail.
/// Throws Failure (kInvalidArgument, kUnsupported) with `source`, the line and what to do.
ModelConfig parse_model_config(std::string_view text, const std::string& source);

/// The names of other models that answer for this one; empty where the engine runs it.
std::vector<std::string> models_joined(const ModelConfig& config);

/// Completes a configuration by what the model says of itself: inputs and outputs that it does not name. Without a
/// max_batch_size of its own a model is batched if all its inputs and outputs have a free first dimension, with
/// `default_batch` rows at most. Throws Failure where it contradicts the model.
void complete(ModelConfig& config, const coracle::Model& model, bool has_file, int64_t default_batch);

/// The configuration as JSON, as Triton answers for GET /v2/models/NAME/config.
std::string config_json(const ModelConfig& config);

}  // namespace coracle::serve
