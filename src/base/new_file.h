// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/system/held_signals.h"
#include "base/system/new_files.h"

namespace coracle::internal {

/// A file that is there whole or not at all: it is written without a name, or under another one where the file system
/// cannot do that, and commit() brings it to the disk and then gives it its own. What stood there before stays until
/// then, and stays as it is for those who have it open or mapped. A signal that ends the process leaves nothing else.
/// Every file that the library writes is one. One thread.
class NewFile {
 public:
  /// kAnyone: permissions of the file that it replaces, or those that the process gives new files. kReading: nobody may
  /// write it, so that it may be mapped. kOwner: nobody else may read it; replaces a symbolic link, which others leave.
  using For = FileAccess;

  /// Throws Error (kIo), as all below, that names the file; also where something that is no regular file has its name.
  NewFile(std::string path, For whom);
  /// Removes what was written unless it was committed.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Throws Error (kCancelled) where a signal waits.
  void write(std::span<const uint8_t> bytes);
  /// Zeros up to the next multiple.
  void pad(uint64_t alignment);
  uint64_t size() const { return size_; }
  /// finish() and put().
  void commit();
  /// Its content is on the disk and has a name beside its own. Once, as the last but put().
  void finish();
  /// It gets its own name.
  void put();

 private:
  void make_named(For whom);
  void close();

  std::string path_;   ///< as the caller has it, for messages
  std::string place_;  ///< behind symbolic links
  For whom_;
  std::string temporary_;            ///< its name until it is whole; empty while it has none, and when it has its own
  std::optional<HeldSignals> held_;  ///< while there is a file `temporary_`
  int fd_ = -1;
  uint64_t size_ = 0;
};

/// Removes what a process that ended left when it wrote a file, in a folder where all that is such belongs to the
/// caller: a temporary file to which nobody has written for an hour, and a file that was replaced while others had it
/// mapped. False: `path` is none of these, or is still in use. `now`: seconds since 1970.
bool remove_left_over(const std::string& path, const FileStatus& about, int64_t now);

struct NamedContent {
  std::string path;
  std::span<const uint8_t> content;
};
/// Makes or replaces files, for anyone: all or none. What is no regular file (a pipe, a device) is written in place.
/// Throws Error (kIo).
void write_files(std::span<const NamedContent> files);

}  // namespace coracle::internal
