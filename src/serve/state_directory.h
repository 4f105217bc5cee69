// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace coracle::serve {

/// A folder in which a server keeps what it has learnt of models between restarts, a file for each version of a model.
/// A file holds under a key, which is all that its content was made of; what it has under another key is not used.
class StateDirectory {
 public:
  using Log = std::function<void(const std::string& line)>;

  /// Makes the folder. An empty path keeps nothing. Throws Failure.
  explicit StateDirectory(std::filesystem::path folder = {});

  bool keeps() const { return !folder_.empty(); }
  /// What was kept under that key; nothing, and a line why, for a file that is damaged or under another key.
  std::optional<std::string> load(const std::string& name, const std::string& key, const Log& log) const;
  /// Replaces the file as a whole. A line says why it cannot.
  void save(const std::string& name, const std::string& key, const std::string& text, const Log& log) const;

 private:
  std::filesystem::path file_of(const std::string& name) const;

  std::filesystem::path folder_;
};

/// What the bits and the cost of a model's runs depend on: its files (each with its size, the times of its last changes
/// and its inode), the library's (its version, and its file in the same way), the processor and its instruction sets,
/// the variables of the environment that the library reads, engines, devices and `parameters`. Throws
/// coracle::Exception.
std::string key_of_model(const std::string& path, const std::map<std::string, std::string>& parameters);

}  // namespace coracle::serve
