// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coracle {

/// The content of one file. The bytes stay where they are while `owner` lives; a null owner means that the caller keeps
/// them alive.
struct FileBytes {
  std::string name;  ///< for messages
  std::shared_ptr<const void> owner;
  std::span<const uint8_t> bytes;
  bool mapped = false;  ///< from a file on disk, from which the system reads them again where they were put away

  /// Says that `part` of `bytes` will hardly be read again: it need not stay in memory.
  void put_away(std::span<const uint8_t> part) const;
};

/// Where the files of a model come from. Opening is const and may happen from any thread if the source allows it.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// The file of that name, or nothing if there is none. Throws Error (kIo) if it is there and cannot be read.
  virtual std::optional<FileBytes> open(const std::string& name) const = 0;
  virtual bool is_folder(const std::string& /*name*/) const { return false; }
  /// Names of the files in a folder, sorted, without the folder.
  virtual std::vector<std::string> list(const std::string& /*folder*/) const { return {}; }

  /// The file `name` inside `folder`, where `name` comes from a model and is not trusted: absolute paths, `..` and, on
  /// disk, links that leave the folder are refused with an Error (kInvalidModel).
  std::optional<FileBytes> open_inside(const std::string& folder, std::string_view name) const;

 protected:
  /// Refuses a path that leads out of `folder` by links.
  virtual void check_inside(const std::string& /*folder*/, const std::string& /*path*/) const {}
};

/// Files on disk, mapped into memory. A mapped file must not be changed while a model uses it.
std::shared_ptr<const ByteSource> disk_source();

/// Files given by a function: the bytes of a name, or nothing if there is no such file.
using ReadFile = std::function<std::optional<FileBytes>(const std::string& name)>;
std::shared_ptr<const ByteSource> callback_source(ReadFile read);

/// `folder` and `name` as one path; an empty folder is the current one.
std::string join_path(const std::string& folder, std::string_view name);

}  // namespace coracle
