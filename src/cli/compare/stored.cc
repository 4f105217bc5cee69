// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>

#include "base/system/native_path.h"
#include "cli/compare/side.h"
#include "cli/failure.h"
#include "cli/file.h"

namespace coracle::cli {
namespace {

namespace fs = std::filesystem;

struct StoredFile {
  size_t output;
  std::string path;
};

class StoredSide : public Side {
 public:
  StoredSide(std::string label, std::vector<std::string> names, std::vector<std::vector<StoredFile>> sets)
      : label_(std::move(label)), names_(std::move(names)), sets_(std::move(sets)) {}
  std::string text() const override { return label_; }
  std::vector<Output> run(const std::vector<NamedInput>& /*inputs*/, size_t set) override {
    std::vector<Output> outputs;
    for (const StoredFile& f : sets_[set]) outputs.push_back({names_[f.output], read_npy(f.path)});
    return outputs;
  }

 private:
  std::string label_;
  std::vector<std::string> names_;
  std::vector<std::vector<StoredFile>> sets_;
};

/// DIR/NAME.npy and DIR/INDEX.npy of the outputs.
std::vector<StoredFile> files_in(const std::string& folder, const std::vector<coracle::TensorInfo>& outputs) {
  std::error_code error;
  std::vector<StoredFile> files;
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (const std::string& name : {outputs[i].name, std::to_string(i)}) {
      const fs::path path = internal::native_path(folder) / internal::native_path(name + ".npy");
      if (!fs::exists(path, error)) continue;
      files.push_back({i, internal::path_text(path)});
      break;
    }
  }
  if (files.empty()) {
    throw Failure(ExitCode::kIo,
                  fmt::format("--expected {}: it has no file for an output; looked for {}.npy and 0.npy, "
                              "as 'coracle run --output-dir' writes them",
                              folder, outputs.empty() ? "NAME" : outputs[0].name));
  }
  return files;
}

StoredFile file_of(const std::string& entry, const std::vector<coracle::TensorInfo>& outputs) {
  std::string names;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (entry.starts_with(outputs[i].name + "=")) return {i, entry.substr(outputs[i].name.size() + 1)};
    names.append(i == 0 ? "" : ", ").append(outputs[i].name);
  }
  if (entry.find('=') == std::string::npos) {
    throw Failure(ExitCode::kIo, fmt::format("--expected {}: no such folder; expected one, or NAME=FILE.npy", entry));
  }
  throw Failure(ExitCode::kUsage, fmt::format("--expected {}: the model has no output '{}'; its outputs are: {}", entry,
                                              entry.substr(0, entry.find('=')), names));
}

}  // namespace

std::unique_ptr<Side> stored_side(const std::vector<std::string>& expected,
                                  const std::vector<coracle::TensorInfo>& outputs, size_t sets) {
  std::vector<std::vector<StoredFile>> found;
  std::vector<StoredFile> single;
  for (const std::string& entry : expected) {
    if (fs::is_directory(internal::native_path(entry))) {
      found.push_back(files_in(entry, outputs));
    } else {
      single.push_back(file_of(entry, outputs));
    }
  }
  if (!single.empty()) found.push_back(std::move(single));
  if (found.size() != sets) {
    throw Failure(
        ExitCode::kUsage,
        fmt::format("--expected has results for {} of {} sets of inputs: give a folder for each set, that is for "
                    "each --data or for as many as --seeds says",
                    found.size(), sets));
  }
  std::vector<std::string> names;
  for (const coracle::TensorInfo& o : outputs) names.push_back(o.name);
  return std::make_unique<StoredSide>("stored in " + expected[0] + (sets > 1 ? ", ..." : ""), std::move(names),
                                      std::move(found));
}

}  // namespace coracle::cli
