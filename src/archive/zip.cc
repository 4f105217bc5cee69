// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "archive/inflated.h"
#include "archive/members.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"

// APPNOTE 6.3: the directory at the end says what there is; heads in front of files are only passed.
namespace coracle::internal {
namespace {

constexpr uint32_t kEndMark = 0x06054b50;
constexpr uint32_t kLargeEndMark = 0x06064b50;
constexpr uint32_t kLargeEndPointerMark = 0x07064b50;
constexpr uint32_t kEntryMark = 0x02014b50;
constexpr uint32_t kHeadMark = 0x04034b50;
constexpr size_t kEndSize = 22;
constexpr size_t kLargeEndSize = 56;
constexpr size_t kLargeEndPointerSize = 20;
constexpr size_t kEntrySize = 46;
constexpr size_t kHeadSize = 30;
constexpr int kStored = 0;
constexpr int kDeflated = 8;

/// The unsigned number of that type at `at`, which has to be inside.
template <class T>
T number(std::span<const uint8_t> bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.subspan(at, sizeof(T)).data(), sizeof(T));
  return value;
}

class ZipReader {
 public:
  explicit ZipReader(const File& zip) : zip_(zip) {}

  std::vector<ArchiveMember> members() {
    find_directory();
    check(count_ <= kMostArchiveMembers, "it has ", counted(count_, "file"), ", more than ", kMostArchiveMembers);
    const std::vector<uint8_t> bytes = read(directory_, directory_size_);
    std::vector<ArchiveMember> found;
    size_t at = 0;
    for (size_t i = 0; i < count_; ++i) {
      check(at + kEntrySize <= bytes.size() && number<uint32_t>(bytes, at) == kEntryMark, "entry ", i,
            " of its directory is invalid");
      const std::span<const uint8_t> entry = std::span(bytes).subspan(at);
      const size_t name = number<uint16_t>(entry, 28);
      const size_t extra = number<uint16_t>(entry, 30);
      const size_t length = kEntrySize + name + extra + number<uint16_t>(entry, 32);
      check(length <= entry.size() && name <= kMostArchiveName, "entry ", i, " of its directory is invalid");
      ArchiveMember member = member_of(entry, entry.subspan(kEntrySize + name, extra));
      member.name.assign(reinterpret_cast<const char*>(entry.data()) + kEntrySize, name);
      std::replace(member.name.begin(), member.name.end(), '\\', '/');
      check_sizes(member);
      if (!member.name.ends_with('/')) found.push_back(std::move(member));
      at += length;
    }
    return found;
  }

  File open(const ArchiveMember& member, std::string name) const {
    check(member.offset <= zip_.size(), "no local header for the file ", in_quotes(member.name));
    const std::vector<uint8_t> head = read(member.offset, kHeadSize);
    check(number<uint32_t>(head, 0) == kHeadMark, "no local header for the file ", in_quotes(member.name));
    const size_t data = member.offset + kHeadSize + number<uint16_t>(head, 26) + number<uint16_t>(head, 28);
    check(data <= zip_.size() && member.packed <= zip_.size() - data, "the file ", in_quotes(member.name), " has ",
          counted(member.packed, "byte"), " where ", zip_.size() - std::min(data, zip_.size()), " are left");
    File packed = zip_.part(std::move(name), data, member.packed);
    if (member.method == kStored) return packed;
    return packed.made(packed.name(), member.size,
                       inflated({.bytes = packed, .size = member.size, .checksum = member.checksum}));
  }

 private:
  template <class... Parts>
  void check(bool condition, const Parts&... parts) const {
    if (!condition) fail(ErrorCode::kInvalidModel, "the archive ", in_quotes(zip_.name()), " is damaged: ", parts...);
  }

  std::vector<uint8_t> read(size_t from, size_t size) const {
    check(from <= zip_.size() && size <= zip_.size() - from, counted(size, "byte"), " are expected at byte ", from,
          ", but the archive has ", zip_.size());
    std::vector<uint8_t> bytes(size);
    check(zip_.read(from, bytes) == size, "it was cut short while it was read");
    return bytes;
  }

  /// A number, a size or a place of 64 bits: one that no size_t holds is not of a file that can be open here.
  size_t large_number(std::span<const uint8_t> bytes, size_t at) const {
    const auto value = number<uint64_t>(bytes, at);
    check(std::in_range<size_t>(value), "it says ", value, " where numbers of ", 8 * sizeof(size_t),
          " bits are possible");
    return static_cast<size_t>(value);
  }

  void find_directory() {
    constexpr size_t kComment = 0xFFFF;  // bytes at most, behind the end's record
    const size_t from = zip_.size() - std::min(zip_.size(), kComment + kEndSize);
    const std::vector<uint8_t> tail = read(from, zip_.size() - from);
    size_t end = tail.size();
    for (size_t i = tail.size() - std::min(tail.size(), kEndSize) + 1; i-- > 0 && end == tail.size();) {
      if (i + kEndSize <= tail.size() && number<uint32_t>(tail, i) == kEndMark) end = i;
    }
    check(end != tail.size(), "it has no directory at its end: was it cut short?");
    count_ = number<uint16_t>(tail, end + 10);
    directory_size_ = number<uint32_t>(tail, end + 12);
    directory_ = number<uint32_t>(tail, end + 16);
    if (end >= kLargeEndPointerSize) read_large_end(std::span(tail).subspan(end - kLargeEndPointerSize));
    check(directory_size_ / kEntrySize >= count_, "its directory of ", counted(directory_size_, "byte"),
          " has no room for ", counted(count_, "file"));
    check(directory_size_ <= kMostArchiveMembers * (kEntrySize + kMostArchiveName), "its directory has ",
          counted(directory_size_, "byte"));
  }

  /// The sizes of large archives stand in a record of their own.
  void read_large_end(std::span<const uint8_t> pointer) {
    if (number<uint32_t>(pointer, 0) != kLargeEndPointerMark) return;
    const std::vector<uint8_t> record = read(large_number(pointer, 8), kLargeEndSize);
    check(number<uint32_t>(record, 0) == kLargeEndMark, "its end record is invalid");
    count_ = large_number(record, 32);
    directory_size_ = large_number(record, 40);
    directory_ = large_number(record, 48);
  }

  ArchiveMember member_of(std::span<const uint8_t> entry, std::span<const uint8_t> extra) const {
    constexpr unsigned kEncrypted = 0x41;  // by a password, or strongly
    ArchiveMember member;
    member.encrypted = (number<uint16_t>(entry, 8) & kEncrypted) != 0;
    member.method = number<uint16_t>(entry, 10);
    member.checksum = number<uint32_t>(entry, 16);
    member.packed = number<uint32_t>(entry, 20);
    member.size = number<uint32_t>(entry, 24);
    member.offset = number<uint32_t>(entry, 42);
    // Those that do not fit in 32 bits stand in field 1 of the extra fields, in this order.
    constexpr size_t kLarge = 0xFFFFFFFF;
    constexpr uint16_t kLargeField = 1;
    while (extra.size() >= 4) {
      const size_t size = number<uint16_t>(extra, 2);
      check(size <= extra.size() - 4, "an extra field is too long");
      if (number<uint16_t>(extra, 0) == kLargeField) {
        size_t at = 4;
        for (size_t* value : {&member.size, &member.packed, &member.offset}) {
          if (*value != kLarge || at + 8 > 4 + size) continue;
          *value = large_number(extra, at);
          at += 8;
        }
      }
      extra = extra.subspan(4 + size);
    }
    return member;
  }

  void check_sizes(const ArchiveMember& member) const {
    if (member.method == kStored) {
      check(member.size == member.packed || member.encrypted, "the file ", in_quotes(member.name),
            " is not packed and has ", counted(member.size, "byte"), " in ", member.packed);
    }
    if (member.method == kDeflated) {
      check(member.size <= most_unpacked(member.packed), "the file ", in_quotes(member.name), " claims to unpack from ",
            counted(member.packed, "byte"), " to ", member.size, ", at most ", most_unpacked(member.packed),
            " are accepted");
    }
  }

  const File& zip_;
  size_t count_ = 0;
  size_t directory_ = 0;
  size_t directory_size_ = 0;
};

}  // namespace

std::vector<ArchiveMember> zip_members(const File& zip) { return ZipReader(zip).members(); }

File open_zip_member(const File& zip, const ArchiveMember& member, std::string name) {
  require(!member.encrypted, ErrorCode::kUnsupported, "the file ", in_quotes(name),
          " is encrypted: unpack the archive first");
  require(member.method == kStored || member.method == kDeflated, ErrorCode::kUnsupported, "the file ", in_quotes(name),
          " is packed by method ", member.method,
          " of ZIP, here files are read that are stored (0) or deflated (8): unpack the archive, or pack it again");
  return ZipReader(zip).open(member, std::move(name));
}

}  // namespace coracle::internal
