// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "coracle/coracle.hpp"
#include "serve/model_config.h"
#include "serve/model_instances.h"
#include "serve/state_directory.h"
#include "serve/statistics.h"

namespace coracle::serve {

/// How models run that say nothing of their own.
struct ServingDefaults {
  coracle::Pool pool;          ///< whose threads all models share
  MemoryBudget memory;         ///< which they share, too
  int instances = 2;           ///< sessions of a model
  int64_t max_batch_size = 8;  ///< of models without a configuration; 0: no batches
  std::chrono::microseconds max_queue_delay{0};
  std::chrono::microseconds target{0};  ///< BatchOptions::target of all models
  StateDirectory state;                 ///< keeps what runs have taught
  size_t max_queue_size = 1024;
  std::multimap<std::string, WarmUpSample> warm_up;  ///< by model, beside those of its configuration
  std::function<void(const std::string& line)> log = [](const std::string&) {};
};

/// One version of a model, loaded. For any number of threads.
class ServedModel {
 public:
  /// Loads from a folder, a file or an archive. `config` is completed; `has_file` says whether somebody wrote it.
  /// Throws coracle::Exception and Failure.
  ServedModel(std::string name, int64_t version, const std::string& path, ModelConfig config, bool has_file,
              const ServingDefaults& defaults);

  const std::string& name() const { return name_; }
  int64_t version() const { return version_; }
  /// Where it was loaded from.
  const std::string& path() const { return path_; }
  const ModelConfig& config() const { return config_; }
  const std::vector<coracle::TensorInfo>& inputs() const { return inputs_; }
  const std::vector<coracle::TensorInfo>& outputs() const { return outputs_; }

  /// Checks the tensors against the model and gives them to an instance. The request is answered once, later, by
  /// another thread. Throws Failure where it is not taken, which `statistics` then counts.
  void infer(InferencePtr request);
  /// A request, with its record where it has one, was not even understood.
  void refused(RequestRecord* record, Code code);
  /// Requests of more rows are refused; 0: of none are.
  int64_t most_rows() const { return declared_batch_ ? config_.batching.max_batch_size : 0; }
  size_t waiting() const { return instances_->waiting(); }
  /// See ModelInstances::trim.
  void trim(Clock::time_point unused_since) { instances_->trim(unused_since); }
  /// Bytes that it holds beside weights as its files have them: sessions, plans, packed weights.
  size_t memory_bytes() const;
  /// Keeps what runs have taught since it was called last.
  void save_state();
  const MemoryBudget& memory() const { return memory_; }
  Statistics& statistics() { return statistics_; }
  const Statistics& statistics() const { return statistics_; }

 private:
  void check(const Inference& request) const;
  void add_run(RequestRecord& record, const Timeline& times, bool failed) const;
  void warm_up(const ServingDefaults& defaults);
  std::string state_name() const;
  void restore_state();

  const std::string name_;
  const int64_t version_;
  const std::string path_;
  const bool declared_batch_;  // max_batch_size is somebody's word, so that larger requests are refused
  ModelConfig config_;
  const std::string state_key_;
  const coracle::Model model_;
  const std::vector<coracle::TensorInfo> inputs_;
  const std::vector<coracle::TensorInfo> outputs_;
  const MemoryBudget memory_;
  Statistics statistics_;
  const StateDirectory state_;
  const StateDirectory::Log log_;
  RunHistory history_;
  std::mutex save_mutex_;
  uint64_t saved_changes_ = 0;
  std::unique_ptr<ModelInstances> instances_;
};

}  // namespace coracle::serve
