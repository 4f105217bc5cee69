// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "serve/infer_request.h"
#include "serve/model_config.h"
#include "serve/statistics.h"

/// What the Open Inference Protocol and Triton's extensions of it offer, whatever carries them.
namespace coracle::serve {

struct ServerMetadata {
  std::string name;
  std::string version;
  std::vector<std::string> extensions;
};

struct TensorMetadata {
  std::string name;
  std::string datatype;
  coracle::Dims shape;  ///< -1: any size
};

struct ModelMetadata {
  std::string name;
  std::vector<std::string> versions;
  std::string platform;
  std::vector<TensorMetadata> inputs;
  std::vector<TensorMetadata> outputs;
};

struct ModelStatistics {
  std::string name;
  std::string version;
  Counts counts;
};

/// A model of the index, loaded or not.
struct IndexEntry {
  std::string name;
  std::string version;  ///< empty where none was loaded
  std::string state;    ///< READY, LOADING, UNLOADING, UNAVAILABLE
  std::string reason;
};

/// For any number of threads. An empty version is the greatest that is loaded. All throw Failure. What a module calls
/// is virtual, so that it needs no symbols of the program.
class ModelOperations {
 public:
  virtual ~ModelOperations() = default;

  /// The models of the start were loaded, and the server was not asked to stop.
  virtual bool ready() const = 0;
  virtual bool model_ready(const std::string& name, const std::string& version) const = 0;
  virtual ServerMetadata server_metadata() const = 0;
  virtual ModelMetadata model_metadata(const std::string& name, const std::string& version) const = 0;
  virtual ModelConfig model_config(const std::string& name, const std::string& version) const = 0;
  /// Of all models where the name is empty, of all versions where that is.
  virtual std::vector<ModelStatistics> statistics(const std::string& name, const std::string& version) const = 0;
  virtual std::vector<IndexEntry> index(bool ready_only) const = 0;

  /// Loads a model, again if it is there, or takes it away; `done` is called later, by another thread.
  virtual void change(const std::string& name, bool load, std::function<void(std::optional<Failure>)> done) = 0;
  virtual Cancel infer(const std::string& name, const std::string& version, InferRequest request,
                       const Answered& answered) = 0;
};

}  // namespace coracle::serve
