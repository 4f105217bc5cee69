// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "coracle/coracle.hpp"
#include "serve/model_instances.h"
#include "serve/served_model.h"
#include "serve/state_directory.h"

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

/// A model that the engine runs.
class PaddleModel final : public ServedModel {
 public:
  /// Loads from a folder, a file or an archive. `config` is completed; `has_file` says whether somebody wrote it.
  /// Throws coracle::Exception and Failure.
  PaddleModel(const std::string& name, int64_t version, const std::string& path, ModelConfig config, bool has_file,
              const ServingDefaults& defaults);

  size_t waiting() const override { return instances_->waiting(); }
  void trim(Clock::time_point unused_since) override { instances_->trim(unused_since); }
  size_t memory_bytes() const override;
  void save_state() override;

 private:
  void submit(InferencePtr request) override;
  void warm_up(const ServingDefaults& defaults);
  std::string state_name() const;
  void restore_state();

  const std::string state_key_;
  const coracle::Model model_;
  const StateDirectory state_;
  const StateDirectory::Log log_;
  RunHistory history_;
  std::mutex save_mutex_;
  uint64_t saved_changes_ = 0;
  std::unique_ptr<ModelInstances> instances_;
};

}  // namespace coracle::serve
