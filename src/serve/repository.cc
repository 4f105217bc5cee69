// SPDX-License-Identifier: Apache-2.0
#include "serve/repository.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

namespace coracle::serve {
namespace {

namespace fs = std::filesystem;

/// The number that is the name of a folder; nothing for other names.
std::optional<int64_t> number_of(const std::string& name) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 1) return std::nullopt;
  return number;
}

/// Names of models are parts of paths and of URLs.
void check_name(const std::string& name) {
  const bool fits = !name.empty() && name.size() <= 255 && name != "." && name != ".." &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) {
                      return c > ' ' && c != '/' && c != '\\' && c != '?' && c != '#' && c != '%' && c < 127;
                    });
  if (!fits) throw Failure(Code::kInvalidArgument, "'" + name.substr(0, 64) + "' is not the name of a model");
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) throw Failure(Code::kUnavailable, path.string() + " cannot be read");
  return content;
}

}  // namespace

void check_model_names(const std::vector<std::pair<std::string, std::string>>& models) {
  std::set<std::string> names;
  for (const auto& [name, path] : models) {
    check_name(name);
    if (!names.insert(name).second)
      throw Failure(Code::kInvalidArgument, "two models are called '" + name + "'; NAME=PATH gives one another name");
  }
}

Repository::Repository(Options options) : options_(std::move(options)) {
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

std::vector<std::string> Repository::names_in_folder() const {
  std::vector<std::string> names;
  if (options_.folder.empty()) return names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(options_.folder, error)) {
    const std::string name = entry.path().filename();
    if (entry.is_directory() && !name.starts_with('.')) names.push_back(name);
  }
  if (error) throw Failure(Code::kUnavailable, options_.folder.string() + " cannot be read: " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> Repository::given_path(const std::string& name) const {
  for (const auto& [given, path] : options_.models) {
    if (given == name) return path;
  }
  return std::nullopt;
}

Repository::Source Repository::source_of(const std::string& name) const {
  check_name(name);
  Source source;
  if (const std::optional<std::string> path = given_path(name)) {
    source.versions[1] = *path;
    return source;
  }
  const fs::path folder = options_.folder / name;
  if (options_.folder.empty() || !fs::is_directory(folder))
    throw Failure(Code::kNotFound, "there is no model '" + name + "'");
  if (fs::exists(folder / "config.pbtxt")) {
    source.config = parse_model_config(content_of(folder / "config.pbtxt"), (folder / "config.pbtxt").string());
    source.has_config = true;
    if (!source.config.name.empty() && source.config.name != name) {
      throw Failure(Code::kInvalidArgument, (folder / "config.pbtxt").string() + ": name is '" + source.config.name +
                                                "', expected that of the folder, '" + name + "'");
    }
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::optional<int64_t> version = number_of(entry.path().filename());
    if (version.has_value() && entry.is_directory()) source.versions[*version] = entry.path();
  }
  if (source.versions.empty()) {
    source.versions[1] = folder;
    return source;
  }
  const VersionPolicy& policy = source.config.versions;
  if (policy.kind == VersionPolicy::Kind::kLatest) {
    while (source.versions.size() > policy.latest) source.versions.erase(source.versions.begin());
  } else if (policy.kind == VersionPolicy::Kind::kSpecific) {
    for (const int64_t version : policy.specific) {
      if (!source.versions.contains(version)) {
        throw Failure(Code::kInvalidArgument, "model '" + name + "' has no version " + std::to_string(version) +
                                                  ", which its version_policy names");
      }
    }
    std::erase_if(source.versions, [&](const auto& version) {
      return std::find(policy.specific.begin(), policy.specific.end(), version.first) == policy.specific.end();
    });
  }
  return source;
}

/// Changes whenever a file of the model does.
std::string Repository::stamp_of(const std::string& name) const {
  std::ostringstream stamp;
  std::error_code error;
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(options_.folder / name, error)) {
    if (!entry.is_regular_file(error)) continue;
    files.push_back(entry.path().string() + ' ' + std::to_string(entry.file_size(error)) + ' ' +
                    std::to_string(entry.last_write_time(error).time_since_epoch().count()));
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) stamp << file << '\n';
  return stamp.str();
}

void Repository::load_all() {
  std::vector<std::string> names = names_in_folder();
  for (const auto& [name, path] : options_.models) names.push_back(name);
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& name : names) entries_[name].reason = "it is still being loaded";
  }
  for (const std::string& name : names) {
    try {
      given_path(name).has_value() ? load_model(name) : load(name);
    } catch (const std::exception&) {
      if (given_path(name).has_value()) throw;
      continue;  // the index says why
    }
  }
}

void Repository::load(const std::string& name) {
  try {
    load_model(name);
  } catch (const Failure& failure) {
    options_.defaults.log(failure.what());
    throw;
  }
}

void Repository::load_model(const std::string& name) {
  const std::lock_guard one(loading_);
  std::string stamp;
  try {
    if (!options_.folder.empty() && !given_path(name).has_value()) stamp = stamp_of(name);
    const Source source = source_of(name);
    save_states(name);
    Versions versions;
    for (const auto& [version, path] : source.versions) {
      versions[version] =
          std::make_shared<ServedModel>(name, version, path, source.config, source.has_config, options_.defaults);
    }
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
  const std::optional<int64_t> number = number_of(version);
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
  for (const std::string& name : names_in_folder()) {
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
    names = names_in_folder();
  } catch (const Failure& failure) {
    options_.defaults.log(failure.what());
    return;
  }
  std::map<std::string, std::string> known;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, entry] : entries_) {
      if (!given_path(name).has_value()) known[name] = entry.stamp;
    }
  }
  for (const std::string& name : names) {
    const std::string stamp = stamp_of(name);
    const auto before = known.find(name);
    if (before != known.end() && before->second == stamp) continue;
    // Files that are being written change until they are whole.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (stamp_of(name) != stamp) continue;
    try {
      load(name);
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
