// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/run_context.h"
#include "base/system/file_status.h"

namespace coracle::internal {

/// Throws Error with what errno says, out of memory where it says that: "cannot open 'model.json': Permission denied".
[[noreturn]] void fail_io(const std::string& name, std::string_view what);

/// The content of one file in memory. The bytes stay where they are while `owner` lives; a null owner means that the
/// caller keeps them alive.
struct FileBytes {
  std::string name;  ///< for messages
  std::shared_ptr<const void> owner;
  std::span<const uint8_t> bytes;
  bool mapped = false;  ///< from a file on disk, from which the system reads them again where they were put away

  /// Says that `part` of `bytes` will hardly be read again: it need not stay in memory.
  void put_away(std::span<const uint8_t> part) const;
};

/// What tells a file on disk from another one, and from itself after it was written to.
struct FileStamp {
  std::string path;  ///< absolute
  uint64_t size = 0;
  uint64_t number = 0;
  FileTime modified;

  static FileStamp of(std::string path, const FileStatus& status);
};

/// Throws Error (kIo) unless the file of that path is the one that was stamped and, by size and time of modification,
/// is as it was.
void require_unchanged(const FileStamp& expected);

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  /// For reading, without waiting for pipes; errno says why not. Once.
  void open(const char* name);
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

/// How weights get from a file on disk into memory.
enum class Weights {
  kAutomatic,  ///< mapped from files that nobody may write, copied from others
  kCopied,     ///< read into memory of their own: what happens to the file later is of no matter
  kMapped,     ///< used in the file where they are aligned, which must not be changed while a model uses them
};
/// Of all values, in order.
inline std::span<const std::string_view> names_of(Weights) {
  static constexpr std::string_view kNames[] = {"automatic", "copied", "mapped"};
  return kNames;
}

/// Bytes that are made when they are read, as of a packed file. One thread at a time.
class MadeBytes {
 public:
  MadeBytes() = default;
  virtual ~MadeBytes() = default;
  MadeBytes(const MadeBytes&) = delete;
  MadeBytes& operator=(const MadeBytes&) = delete;
  /// Copies the bytes from `offset` on, and says how many there are. Goes fastest from front to back.
  virtual size_t read(size_t offset, std::span<uint8_t> to) = 0;
};

/// A file of a model, open for reading: its bytes are in memory, or on disk or packed until they are read. Copies share
/// it.
class File {
 public:
  File(FileBytes bytes) : memory_(std::move(bytes)), size_(memory_.bytes.size()) {}  // NOLINT: bytes are a file
  /// The regular file of that name if there is one. Does not wait for pipes. Throws Error (kIo).
  static std::optional<File> open(const std::string& name);

  /// `size` of its bytes from `offset` on, which it has, as a file of another name.
  File part(std::string name, size_t offset, size_t size) const;
  /// A file whose bytes are made of this one's; `size` of them, or at most.
  File made(std::string name, size_t size, std::shared_ptr<MadeBytes> bytes) const;

  const std::string& name() const { return memory_.name; }
  /// On disk, when it was opened.
  size_t size() const { return size_; }
  const std::optional<FileStamp>& stamp() const { return stamp_; }

  /// Maps it into memory, if it is on disk as it is and the file system can map. Who truncates it from then on ends the
  /// process.
  void map();
  /// Maps it where weights are to be.
  void map_as(Weights weights);
  /// True for a file that no user has the permission to write, on a file system of this machine.
  bool is_protected() const;
  /// The bytes, where they are in memory; else null.
  const FileBytes* in_place() const { return fd_ == nullptr && made_ == nullptr ? &memory_ : nullptr; }

  /// From now on reading it, and what is made of it, ends at the deadline of a context, which has to outlive that.
  void read_within(const RunContext& context) { context_ = &context; }
  const RunContext& context() const { return *context_; }

  /// Copies the bytes from `offset` on, and says how many of them there are: fewer than asked for only behind the end.
  /// Throws Error (kIo), and when the deadline has passed.
  size_t read(size_t offset, std::span<uint8_t> to) const;
  /// All bytes, in place or read into memory of their own. Throws Error (kIo).
  FileBytes read_all() const;
  /// Throws Error (kIo) if it was written to since it was opened, where the bytes are not in place.
  void require_unchanged() const;

 private:
  FileBytes memory_;
  size_t start_ = 0;  ///< where its bytes begin in what follows
  size_t size_ = 0;
  std::shared_ptr<const Descriptor> fd_;  ///< null: in memory
  std::shared_ptr<MadeBytes> made_;       ///< of the bytes on disk or in memory, instead of them
  std::optional<FileStamp> stamp_;        ///< of a file on disk
  bool no_writer_ = false;
  const RunContext* context_ = &kNoRun;
};

}  // namespace coracle::internal
