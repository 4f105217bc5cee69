// SPDX-License-Identifier: Apache-2.0
#include "model/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/error.h"
#include "base/printable.h"
#include "base/system/folder.h"
#include "base/system/native_path.h"
#include "base/system/path.h"

namespace coracle::internal {
namespace {

namespace fs = std::filesystem;

class DiskSource : public ByteSource {
 public:
  std::optional<File> open(const std::string& name) const override { return File::open(name); }

  std::optional<File> open_weights(const std::string& name, Weights weights) const override {
    std::optional<File> file = File::open(name);
    if (file) file->map_as(weights);
    return file;
  }

  bool is_folder(const std::string& name) const override {
    std::error_code ignored;
    return fs::is_directory(native_path(name), ignored);
  }

  std::vector<std::string> list(const std::string& folder) const override {
    Folder open(folder);
    if (!open.is_open()) fail_io(folder, "cannot list");
    std::vector<std::string> names;
    while (const char* entry = open.next()) {
      if (!is_folder(join_path(folder, entry))) names.emplace_back(entry);
    }
    if (errno != 0) fail_io(folder, "cannot list");
    std::sort(names.begin(), names.end());
    return names;
  }

 protected:
  void check_inside(const std::string& folder, const std::string& path) const override {
    std::error_code error;
    const fs::path root = fs::canonical(native_path(folder.empty() ? "." : folder), error);
    if (error) return;  // no such folder: opening will say so
    const fs::path real = fs::canonical(native_path(path), error);
    if (error) return;
    const auto [end, rest] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
    require(end == root.end(), ErrorCode::kInvalidModel, "the parameter file ", in_quotes(path),
            " is a link that leaves the model's folder, to ", in_quotes(path_text(real)),
            "; if you trust the links in that folder, set the option 'allow_outside_links'");
  }
};

class CallbackSource : public ByteSource {
 public:
  explicit CallbackSource(ReadFile read) : read_(std::move(read)) {}
  std::optional<File> open(const std::string& name) const override { return read_(name); }

 private:
  ReadFile read_;
};

}  // namespace

class SourceWithin : public ByteSource {
 public:
  SourceWithin(const RunContext& context, std::shared_ptr<const ByteSource> source)
      : context_(context), source_(std::move(source)) {}

  std::optional<File> open(const std::string& name) const override { return limited(source_->open(name)); }
  std::optional<File> open_weights(const std::string& name, Weights weights) const override {
    return limited(source_->open_weights(name, weights));
  }
  bool is_folder(const std::string& name) const override { return source_->is_folder(name); }
  std::vector<std::string> list(const std::string& folder) const override { return source_->list(folder); }

 protected:
  void check_inside(const std::string& folder, const std::string& path) const override {
    source_->check_inside(folder, path);
  }

 private:
  std::optional<File> limited(std::optional<File> file) const {
    if (file) file->read_within(context_);
    return file;
  }

  const RunContext& context_;
  const std::shared_ptr<const ByteSource> source_;
};

std::shared_ptr<const ByteSource> within(const RunContext& context, std::shared_ptr<const ByteSource> source) {
  return std::make_shared<SourceWithin>(context, std::move(source));
}

bool stays_below(std::string_view name) {
  if (name.empty() || is_absolute(name) || names_a_place(name) || name.find('\0') != std::string_view::npos)
    return false;
  while (!name.empty()) {
    const size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return true;
}

std::optional<File> ByteSource::open_weights_inside(const std::string& folder, std::string_view name, Weights weights,
                                                    bool outside_links) const {
  require(stays_below(name), ErrorCode::kInvalidModel, "the parameter name ", in_quotes(name),
          " is a path that leaves the model's folder");
  const std::string path = join_path(folder, name);
  if (!outside_links) check_inside(folder, path);
  return open_weights(path, weights);
}

std::shared_ptr<const ByteSource> disk_source() { return std::make_shared<DiskSource>(); }

std::shared_ptr<const ByteSource> callback_source(ReadFile read) {
  return std::make_shared<CallbackSource>(std::move(read));
}

std::string join_path(const std::string& folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  std::string path = folder;
  if (last_separator(path) + 1 != path.size()) path.push_back('/');
  return path.append(name);
}

}  // namespace coracle::internal
