// SPDX-License-Identifier: Apache-2.0
#include "serve/repository.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "serve/ensemble.h"
#include "serve/text_reader_model.h"

namespace coracle::serve {

Repository::Repository(Options options) : options_(std::move(options)), sources_(options_.models, options_.folder) {
  check_model_names(options_.models);
  maintenance_ = std::thread([this] { maintain(); });
}

Repository::~Repository() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    stop_.notify_all();
  }
  maintenance_.join();
  save_states();
  for (auto& [name, entry] : entries_) retire(std::move(entry.versions));
  // Whoever answers the last request of a model may be one of its own threads, which cannot end the model.
  while (true) {
    reap();
    {
      const std::lock_guard lock(mutex_);
      if (retired_.empty()) return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Repository::load_all() {
  std::vector<std::string> names;
  for (const auto& [name, path] : sources_.given()) names.push_back(name);
  const std::vector<std::string> in_folder = sources_.names_in_folder();
  names.insert(names.end(), in_folder.begin(), in_folder.end());
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& name : names) entries_[name].reason = "it is still being loaded";
  }
  for (const std::string& name : sources_.parts_first(names)) {
    try {
      sources_.is_given(name) ? load_model(name) : load_logged(name);
    } catch (const std::exception&) {
      if (sources_.is_given(name)) throw;
      continue;  // the index says why
    }
  }
}

void Repository::load(const std::string& name) {
  for (const std::string& part : sources_.parts_first({name})) {
    if (part == name || versions(part).empty()) load_logged(part);
  }
}

void Repository::load_logged(const std::string& name) {
  try {
    load_model(name);
  } catch (const Failure& failure) {
    options_.defaults.log(failure.what());
    throw;
  }
}

std::shared_ptr<ServedModel> Repository::open(const std::string& name, int64_t version, const std::string& path,
                                              const ModelSource& source) const {
  const FindModel find_part = [this](const std::string& part, const std::string& v) { return find(part, v); };
  if (source.config.platform == kEnsemblePlatform)
    return std::make_shared<Ensemble>(name, version, path, source.config, find_part, options_.defaults.memory);
  if (source.config.platform == kTextReaderPlatform)
    return std::make_shared<TextReaderModel>(name, version, path, source.config, find_part);
  return std::make_shared<PaddleModel>(name, version, path, source.config, source.has_config, options_.defaults);
}

void Repository::load_model(const std::string& name) {
  const std::lock_guard one(loading_);
  std::string stamp;
  bool joins = false;
  try {
    if (sources_.has_folder() && !sources_.is_given(name)) stamp = sources_.stamp(name);
    const ModelSource source = sources_.find(name);
    joins = !models_joined(source.config).empty();
    save_states(name);
    Versions versions;
    for (const auto& [version, path] : source.versions) versions[version] = open(name, version, path, source);
    for (const auto& [version, model] : versions) {
      std::string line = "model '" + name + "' version " + std::to_string(version) + " is ready";
      for (const std::string& field : model->config().ignored)
        line += "; " + field + " of its configuration is ignored";
      options_.defaults.log(line);
    }
    Versions before;
    {
      const std::lock_guard lock(mutex_);
      Entry& entry = entries_[name];
      before = std::exchange(entry.versions, std::move(versions));
      entry.reason.clear();
      entry.wants_parts = false;
      entry.stamp = stamp;
    }
    retire(std::move(before));
  } catch (const std::exception& e) {
    const auto* const failure = dynamic_cast<const Failure*>(&e);
    if (failure == nullptr || failure->code() != Code::kNotFound) {
      const std::lock_guard lock(mutex_);
      Entry& entry = entries_[name];
      entry.reason = e.what();
      entry.stamp = stamp;
      entry.wants_parts = joins;
    }
    throw Failure(failure != nullptr ? failure->code() : Code::kInvalidArgument,
                  "model '" + name + "' cannot be loaded: " + e.what());
  }
}

/// Of one model, or of all.
void Repository::save_states(const std::string& name) {
  for (const std::shared_ptr<ServedModel>& model : loaded()) {
    if (name.empty() || model->name() == name) model->save_state();
  }
}

void Repository::unload(const std::string& name) {
  save_states(name);
  Versions versions;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) throw Failure(Code::kNotFound, "there is no model '" + name + "'");
    versions = std::move(entry->second.versions);
    entry->second.versions.clear();
    entry->second.reason = "unloaded";
  }
  retire(std::move(versions));
  options_.defaults.log("model '" + name + "' is unloaded");
}

std::shared_ptr<ServedModel> Repository::find(const std::string& name, const std::string& version) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) throw Failure(Code::kNotFound, "there is no model '" + name.substr(0, 255) + "'");
  const Versions& versions = entry->second.versions;
  if (versions.empty()) throw Failure(Code::kUnavailable, "model '" + name + "' is not ready: " + entry->second.reason);
  if (version.empty()) return versions.rbegin()->second;
  const std::optional<int64_t> number = version_number(version);
  const auto found = number.has_value() ? versions.find(*number) : versions.end();
  if (found == versions.end())
    throw Failure(Code::kNotFound,
                  "model '" + name + "' has no version '" + version.substr(0, 32) + "' that is loaded");
  return found->second;
}

std::vector<std::string> Repository::versions(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) return names;
  for (const auto& [version, model] : entry->second.versions) names.push_back(std::to_string(version));
  return names;
}

std::vector<std::shared_ptr<ServedModel>> Repository::loaded() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<ServedModel>> models;
  for (const auto& [name, entry] : entries_) {
    for (const auto& [version, model] : entry.versions) models.push_back(model);
  }
  return models;
}

std::vector<IndexEntry> Repository::index() const {
  std::vector<IndexEntry> index;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, entry] : entries_) {
      for (const auto& [version, model] : entry.versions)
        index.push_back({.name = name, .version = std::to_string(version), .state = "READY", .reason = ""});
      if (entry.versions.empty())
        index.push_back({.name = name, .version = "", .state = "UNAVAILABLE", .reason = entry.reason});
    }
  }
  for (const std::string& name : sources_.names_in_folder()) {
    if (std::none_of(index.begin(), index.end(), [&](const IndexEntry& e) { return e.name == name; }))
      index.push_back({.name = name, .version = "", .state = "", .reason = ""});
  }
  return index;
}

bool Repository::ready() const {
  const std::lock_guard lock(mutex_);
  return std::all_of(entries_.begin(), entries_.end(), [](const auto& entry) {
    return !entry.second.versions.empty() || entry.second.reason == "unloaded";
  });
}

void Repository::retire(Versions&& versions) {
  const std::lock_guard lock(mutex_);
  for (auto& [version, model] : versions) retired_.push_back(std::move(model));
  stop_.notify_all();
}

/// Frees models whose last request was answered. Not where that happens: an instance's thread cannot wait for itself.
void Repository::reap() {
  std::vector<std::shared_ptr<ServedModel>> done;
  const std::lock_guard lock(mutex_);
  const auto used = std::partition(retired_.begin(), retired_.end(), [](const auto& m) { return m.use_count() > 1; });
  std::move(used, retired_.end(), std::back_inserter(done));
  retired_.erase(used, retired_.end());
}

void Repository::poll() {
  std::vector<std::string> names;
  try {
    names = sources_.names_in_folder();
  } catch (const Failure& failure) {
    options_.defaults.log(failure.what());
    return;
  }
  std::map<std::string, std::string> known;
  std::vector<std::string> waiting;  // for others that they join
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, entry] : entries_) {
      if (!sources_.is_given(name)) known[name] = entry.stamp;
      if (entry.wants_parts) waiting.push_back(name);
    }
  }
  bool changed = false;
  for (const std::string& name : sources_.parts_first(names)) {
    const std::string stamp = sources_.stamp(name);
    const auto before = known.find(name);
    const bool again = changed && std::find(waiting.begin(), waiting.end(), name) != waiting.end();
    if (before != known.end() && before->second == stamp && !again) continue;
    // Files that are being written change until they are whole.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (sources_.stamp(name) != stamp) continue;
    try {
      load_logged(name);
      changed = true;
    } catch (const std::exception&) {
      continue;  // the one before goes on
    }
  }
  for (const auto& [name, stamp] : known) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      try {
        unload(name);
      } catch (const Failure&) {
        continue;
      }
      const std::lock_guard lock(mutex_);
      entries_.erase(name);
    }
  }
}

void Repository::later(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  work_.push_back(std::move(work));
  stop_.notify_all();
}

void Repository::maintain() {
  constexpr std::chrono::milliseconds kTick{250};
  constexpr std::chrono::seconds kSaves{10};
  auto next_save = Clock::now() + kSaves;
  auto next_poll = Clock::now() + options_.poll;
  while (true) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      stop_.wait_for(lock, kTick, [&] { return stopping_ || !work_.empty(); });
      if (stopping_ && work_.empty()) return;
      if (!work_.empty()) {
        work = std::move(work_.front());
        work_.pop_front();
      }
    }
    if (work != nullptr) work();
    reap();
    if (Clock::now() >= next_save) {
      save_states();
      next_save = Clock::now() + kSaves;
    }
    if (options_.idle.count() != 0) {
      for (const std::shared_ptr<ServedModel>& model : loaded()) model->trim(Clock::now() - options_.idle);
    }
    if (options_.poll.count() != 0 && Clock::now() >= next_poll) {
      poll();
      next_poll = Clock::now() + options_.poll;
    }
  }
}

}  // namespace coracle::serve
