// SPDX-License-Identifier: Apache-2.0
#include "serve/state_directory.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "coracle/coracle.hpp"
#include "serve/failure.h"

namespace coracle::serve {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = size_t{64} << 20;
constexpr size_t kMostName = 200;

uint32_t checksum(const std::string& text) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

/// Changes whenever the file does, even where its size and its time of modification are set back.
std::string stamp_of_file(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return file.string() + " missing\n";
  std::ostringstream stamp;
  std::error_code error;
  stamp << fs::weakly_canonical(file, error).string() << ' ' << status.st_size << ' ' << status.st_ino << ' '
        << status.st_mtim.tv_sec << '.' << status.st_mtim.tv_nsec << ' ' << status.st_ctim.tv_sec << '.'
        << status.st_ctim.tv_nsec << '\n';
  return stamp.str();
}

/// Stamps of the files of a model: those of a folder, or those that are called like the file beside their suffixes.
std::string stamps_of_model(const fs::path& path) {
  std::set<std::string> stamps;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path, error)) {
      if (!entry.is_directory(error)) stamps.insert(stamp_of_file(entry.path()));
    }
  } else {
    stamps.insert(stamp_of_file(path));
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::absolute(path, error).parent_path(), error)) {
      if (entry.path().stem() == path.stem() || entry.path().stem() == path.filename())
        stamps.insert(stamp_of_file(entry.path()));
    }
  }
  std::string all;
  for (const std::string& stamp : stamps) all += stamp;
  return all;
}

/// What Linux says of the first processor that changes neither with time nor with its number.
std::string processor() {
  static const std::set<std::string, std::less<>> kNames = {
      "vendor_id", "cpu family",      "model",    "model name",  "stepping", "microcode",   "flags",
      "Features",  "CPU implementer", "CPU part", "CPU variant", "siblings", "CPU revision"};
  std::string text;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::string name = line.substr(0, line.find_first_of("\t:"));
    if (kNames.contains(name)) text += line + '\n';
  }
  return text;
}

std::string library_variables() {
  std::set<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).starts_with("CORACLE_")) variables.insert(*variable);
  }
  std::string text;
  for (const std::string& variable : variables) text += variable + '\n';
  return text;
}

std::string taken(char* text) {
  std::string copy = text;
  coracle_string_free(text);
  return copy;
}

}  // namespace

StateDirectory::StateDirectory(fs::path folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw Failure(Code::kUnavailable, folder_.string() + " cannot be made: " + error.message());
}

/// Names of models may be as long as names of files.
fs::path StateDirectory::file_of(const std::string& name) const {
  if (name.size() <= kMostName) return folder_ / (name + ".state");
  return folder_ / (name.substr(0, kMostName) + '~' + std::to_string(checksum(name)) + ".state");
}

std::optional<std::string> StateDirectory::load(const std::string& name, const std::string& key, const Log& log) const {
  if (!keeps()) return std::nullopt;
  const fs::path path = file_of(name);
  const auto ignore = [&](const char* why) {
    log("what was learnt of model '" + name + "' before is not used: " + path.string() + ' ' + why);
    return std::nullopt;
  };
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMostBytes)
    return ignore("is not a state file");
  std::ifstream file(path, std::ios::binary);
  std::string head;
  std::getline(file, head);
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return ignore("cannot be read");
  std::istringstream fields(head);
  std::string magic;
  uint32_t sum = 0;
  size_t key_bytes = 0;
  size_t text_bytes = 0;
  if (!(fields >> magic >> sum >> key_bytes >> text_bytes) || magic != "coracle-serve-state-1" ||
      key_bytes > content.size() || text_bytes != content.size() - key_bytes || sum != checksum(content))
    return ignore("is damaged, or of another version of the server");
  if (content.compare(0, key_bytes, key) != 0)
    return ignore("is of other files of the model, another library, processor or options");
  return content.substr(key_bytes);
}

void StateDirectory::save(const std::string& name, const std::string& key, const std::string& text,
                          const Log& log) const {
  if (!keeps()) return;
  const std::string content = key + text;
  const std::string file = "coracle-serve-state-1 " + std::to_string(checksum(content)) + ' ' +
                           std::to_string(key.size()) + ' ' + std::to_string(text.size()) + '\n' + content;
  const std::string path = file_of(name);
  const coracle_new_file written{path.c_str(), file.data(), file.size()};
  if (coracle_write_files(&written, 1) != CORACLE_OK)
    log("what was learnt of model '" + name + "' cannot be kept: " + coracle_last_error());
}

std::string key_of_model(const std::string& path, const std::map<std::string, std::string>& parameters) {
  std::string key = std::string("library ") + coracle_version() + '\n';
  Dl_info library{};
  if (::dladdr(reinterpret_cast<const void*>(&coracle_version), &library) != 0 && library.dli_fname != nullptr)
    key += stamp_of_file(fs::exists(library.dli_fname) ? library.dli_fname : "/proc/self/exe");
  key += std::string("processor ") + coracle_cpu_isa() + '\n' + processor() + library_variables();
  for (const auto& [name, value] : parameters) key += name + ' ' + value + '\n';
  char* text = nullptr;
  if (const auto engines = parameters.find("engines"); engines != parameters.end() && !engines->second.empty()) {
    coracle::check(coracle_engines(engines->second.c_str(), &text));
    key += taken(text) + '\n';
  }
  if (const auto device = parameters.find("device"); device != parameters.end() && !device->second.empty()) {
    coracle::check(coracle_devices(&text));
    key += taken(text) + '\n';
  }
  return key + "model\n" + stamps_of_model(path);
}

}  // namespace coracle::serve
