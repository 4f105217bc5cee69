// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace coracle::internal {

/// Where the files of a model come from. Opening is const and may happen from any thread if the source allows it.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// The file of that name, or nothing if there is none. Throws Error (kIo) if it is there and cannot be read.
  virtual std::optional<File> open(const std::string& name) const = 0;
  /// The same for a file of weights.
  virtual std::optional<File> open_weights(const std::string& name, Weights /*weights*/) const { return open(name); }
  virtual bool is_folder(const std::string& /*name*/) const { return false; }
  /// Names of the files in a folder, sorted, without the folder.
  virtual std::vector<std::string> list(const std::string& /*folder*/) const { return {}; }

  /// The file of weights `name` inside `folder`, where `name` comes from a model and is not trusted: absolute paths,
  /// `..` and, on disk, links that leave the folder are refused with an Error (kInvalidModel); the links are not where
  /// `outside_links` is true.
  std::optional<File> open_weights_inside(const std::string& folder, std::string_view name, Weights weights,
                                          bool outside_links) const;

 protected:
  friend class SourceWithin;
  /// Refuses a path that leads out of `folder` by links.
  virtual void check_inside(const std::string& /*folder*/, const std::string& /*path*/) const {}
};

/// The same files, which are read until the deadline of a context has passed. Both have to outlive it.
std::shared_ptr<const ByteSource> within(const RunContext& context, std::shared_ptr<const ByteSource> source);

/// Files on disk.
std::shared_ptr<const ByteSource> disk_source();

/// Files given by a function: the bytes of a name, or nothing if there is no such file.
using ReadFile = std::function<std::optional<FileBytes>(const std::string& name)>;
std::shared_ptr<const ByteSource> callback_source(ReadFile read);

/// True if every part of the relative path names something below where it starts.
bool stays_below(std::string_view name);

/// `folder` and `name` as one path; an empty folder is the current one.
std::string join_path(const std::string& folder, std::string_view name);

}  // namespace coracle::internal
