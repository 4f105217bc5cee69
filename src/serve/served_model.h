// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coracle/coracle.hpp"
#include "serve/memory_budget.h"
#include "serve/model_config.h"
#include "serve/request_queue.h"
#include "serve/statistics.h"

namespace coracle::serve {

/// One version of what clients know as a model: one that the engine runs (PaddleModel), or others joined (Ensemble,
/// TextReaderModel). For any number of threads.
class ServedModel {
 public:
  virtual ~ServedModel() = default;
  ServedModel(const ServedModel&) = delete;
  ServedModel& operator=(const ServedModel&) = delete;

  const std::string& name() const { return name_; }
  int64_t version() const { return version_; }
  /// Where it was loaded from.
  const std::string& path() const { return path_; }
  const ModelConfig& config() const { return config_; }
  const std::vector<coracle::TensorInfo>& inputs() const { return inputs_; }
  const std::vector<coracle::TensorInfo>& outputs() const { return outputs_; }

  /// Checks the tensors against the model and takes the request, which is answered once, later, by another thread.
  /// Throws Failure where it is not taken, which `statistics` then counts.
  void infer(InferencePtr request);
  /// A request, with its record where it has one, was not even understood.
  void refused(RequestRecord* record, Code code);
  /// Requests of more rows are refused; 0: of none are.
  int64_t most_rows() const { return most_rows_; }
  virtual size_t waiting() const { return 0; }
  /// See ModelInstances::trim.
  virtual void trim(Clock::time_point) {}
  /// Bytes that it holds beside weights as its files have them: sessions, plans, packed weights.
  virtual size_t memory_bytes() const { return 0; }
  /// Keeps what runs have taught since it was called last.
  virtual void save_state() {}
  const MemoryBudget& memory() const { return memory_; }
  Statistics& statistics() { return statistics_; }
  const Statistics& statistics() const { return statistics_; }

 protected:
  ServedModel(std::string name, int64_t version, std::string path, MemoryBudget memory)
      : name_(std::move(name)), version_(version), path_(std::move(path)), memory_(std::move(memory)) {}
  /// What is known once it was opened; before it serves.
  void describe(ModelConfig config, std::vector<coracle::TensorInfo> inputs, std::vector<coracle::TensorInfo> outputs,
                int64_t most_rows);
  /// Throws Failure for tensors that the model does not take.
  void check(const Inference& request) const;
  void add_run(RequestRecord& record, const Timeline& times, bool failed) const;

 private:
  /// Answers a request that was checked. Throws Failure where it is not taken.
  virtual void submit(InferencePtr request) = 0;

  const std::string name_;
  const int64_t version_;
  const std::string path_;
  const MemoryBudget memory_;
  ModelConfig config_;
  std::vector<coracle::TensorInfo> inputs_;
  std::vector<coracle::TensorInfo> outputs_;
  int64_t most_rows_ = 0;
  Statistics statistics_;
};

/// The version of a model that serves now; an empty version is the greatest. Throws Failure (not found, unavailable).
using FindModel = std::function<std::shared_ptr<ServedModel>(const std::string& name, const std::string& version)>;

}  // namespace coracle::serve
