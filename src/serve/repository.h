// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serve/model_operations.h"
#include "serve/model_sources.h"
#include "serve/paddle_model.h"

namespace coracle::serve {

/// The models of a server. For any number of threads.
class Repository {
 public:
  struct Options {
    /// Names and paths.
    std::vector<std::pair<std::string, std::string>> models;
    std::filesystem::path folder;       ///< empty: none
    std::chrono::milliseconds poll{0};  ///< how often the folder is looked at; 0: never
    std::chrono::seconds idle{0};       ///< after which sessions that nobody runs give back memory; 0: never
    bool load_all = true;               ///< at the start; else by request
    ServingDefaults defaults;
  };

  explicit Repository(Options options);
  /// Requests that wait still run.
  ~Repository();
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;

  /// Loads what is there. A model that cannot be loaded is unavailable, with the reason in the index. Throws Failure
  /// for one that was given by itself, and where the folder cannot be read.
  void load_all();
  /// A version of a model; without one the greatest. Throws Failure (not found, unavailable).
  std::shared_ptr<ServedModel> find(const std::string& name, const std::string& version = {}) const;
  /// The versions of a model that are loaded, in order; empty where there is none.
  std::vector<std::string> versions(const std::string& name) const;
  std::vector<std::shared_ptr<ServedModel>> loaded() const;
  std::vector<IndexEntry> index() const;
  /// True when every model of the start was loaded.
  bool ready() const;

  /// Loads a model of the folder, or again: what ran before serves until that has succeeded. Before it, those that it
  /// joins and that are not loaded. Throws Failure.
  void load(const std::string& name);
  /// Calls a function in a thread that may take long, where loading keeps nobody waiting who asks for something else.
  void later(std::function<void()> work);
  /// Loads what has changed in the folder, later.
  void look_at_folder() {
    later([this] { poll(); });
  }
  /// Takes a model away; its requests that wait still run. Throws Failure where there is none.
  void unload(const std::string& name);

 private:
  using Versions = std::map<int64_t, std::shared_ptr<ServedModel>>;
  struct Entry {
    Versions versions;
    std::string reason;        ///< why it could not be loaded last
    std::string stamp;         ///< of its files, when they were looked at last
    bool wants_parts = false;  ///< it could not be loaded last and joins others, which may have been to blame
  };

  /// What `load` does for one model, without a line in the log.
  void load_model(const std::string& name);
  void load_logged(const std::string& name);
  std::shared_ptr<ServedModel> open(const std::string& name, int64_t version, const std::string& path,
                                    const ModelSource& source) const;
  void retire(Versions&& versions);
  void maintain();
  void save_states(const std::string& name = {});
  void poll();
  void reap();

  const Options options_;
  const ModelSources sources_;
  mutable std::mutex mutex_;
  std::mutex loading_;  // one model is loaded at a time
  std::map<std::string, Entry> entries_;
  std::vector<std::shared_ptr<ServedModel>> retired_;  // until their last request was answered
  std::condition_variable stop_;
  bool stopping_ = false;
  std::deque<std::function<void()>> work_;  // given to the maintenance
  std::thread maintenance_;
};

}  // namespace coracle::serve
