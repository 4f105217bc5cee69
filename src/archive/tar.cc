// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "archive/members.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"

// POSIX.1-2017 ("pax"), with the long names of GNU tar.
namespace coracle::internal {
namespace {

constexpr size_t kBlock = 512;
using TarBlock = std::array<uint8_t, kBlock>;

struct Field {
  size_t offset;
  size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kSize{124, 12};
constexpr Field kChecksum{148, 8};
constexpr size_t kType = 156;
constexpr Field kTarMagic{257, 6};
constexpr Field kPrefix{345, 155};

/// Up to the first zero byte.
std::string_view text_of(std::span<const uint8_t> block, Field field) {
  const std::string_view bytes(reinterpret_cast<const char*>(block.data()) + field.offset, field.size);
  return bytes.substr(0, bytes.find('\0'));
}

/// Octal digits between spaces; or, as GNU writes what has too many, the bytes of the number behind a set bit.
std::optional<uint64_t> octal_number(std::span<const uint8_t> block, Field field) {
  uint64_t value = 0;
  const std::span<const uint8_t> bytes = block.subspan(field.offset, field.size);
  if ((bytes[0] & 0x80U) != 0) {
    for (uint8_t b : bytes.subspan(1)) {
      if (value >> 48U != 0) return std::nullopt;
      value = value << 8U | b;
    }
    return value;
  }
  std::string_view digits = text_of(block, field);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  digits = digits.substr(0, digits.find(' '));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  return value;
}

bool is_head(std::span<const uint8_t> block) {
  if (block.size() < kBlock || block[0] == 0) return false;
  uint64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    const bool in_checksum = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
    sum += in_checksum ? uint64_t{' '} : uint64_t{block[i]};
  }
  return octal_number(block, kChecksum) == sum;
}

class TarReader {
 public:
  explicit TarReader(const File& tar) : tar_(tar) {}

  std::vector<ArchiveMember> members() {
    std::vector<ArchiveMember> found;
    TarBlock block;
    while (next(block)) {
      check(found.size() < kMostArchiveMembers, "it has more than ", counted(kMostArchiveMembers, "file"));
      read_entry(block, found);
    }
    return found;
  }

 private:
  template <class... Parts>
  void check(bool condition, const Parts&... parts) const {
    if (condition) return;
    fail(ErrorCode::kInvalidModel, "the archive ", in_quotes(tar_.name()), " is damaged at byte ", at_, ": ", parts...);
  }

  /// The next head; false at the block of zeros behind the last.
  bool next(TarBlock& block) const {
    const size_t got = tar_.read(at_, block);
    check(got == kBlock, "it has no end marker: was it cut short?");
    if (std::all_of(block.begin(), block.end(), [](uint8_t b) { return b == 0; })) return false;
    check(is_head(block), "a file header is invalid");
    return true;
  }

  void read_entry(const TarBlock& block, std::vector<ArchiveMember>& found) {
    const char type = static_cast<char>(block[kType]);
    const bool has_data = type < '1' || type > '6';  // not links, devices, folders
    const std::optional<uint64_t> stated = octal_number(block, kSize);
    check(stated.has_value(), "the size of a file is not a number");
    uint64_t size = has_data ? *stated : 0;
    const bool is_file = type == '0' || type == '\0' || type == '7';
    if (is_file && size_) size = *size_;
    const size_t data = at_ + kBlock;
    check(data <= tar_.size() && size <= tar_.size() - data, "a file of ", counted(size, "byte"), " where ",
          tar_.size() - std::min(data, tar_.size()), " are left: was it cut short?");
    if (type == 'L' || type == 'x') {
      const std::string text = read_text(data, size);
      if (type == 'L') name_ = text.substr(0, text.find('\0'));
      if (type == 'x') read_records(text);
    } else if (type != 'K' && type != 'g') {
      if (is_file) {
        const auto bytes = static_cast<size_t>(size);
        found.push_back(
            {.name = name_.empty() ? name_in(block) : name_, .offset = data, .packed = bytes, .size = bytes});
      }
      name_.clear();
      size_.reset();
    }
    at_ = data + (size + kBlock - 1) / kBlock * kBlock;
  }

  static std::string name_in(const TarBlock& block) {
    std::string name(text_of(block, kName));
    const std::string_view prefix = text_of(block, kPrefix);
    const bool has_prefix = text_of(block, kTarMagic) == "ustar" && !prefix.empty();  // GNU's has a space
    if (!has_prefix) return name;
    return std::string(prefix).append(prefix.ends_with('/') ? "" : "/").append(name);
  }

  std::string read_text(size_t from, uint64_t size) const {
    constexpr uint64_t kMost = uint64_t{64} << 10U;
    check(size <= kMost, "a name record of ", counted(size, "byte"), ", at most ", kMost, " are read");
    std::string text(size, '\0');
    const size_t got = tar_.read(from, {reinterpret_cast<uint8_t*>(text.data()), text.size()});
    check(got == size, "it ends within a name: was it cut short?");
    return text;
  }

  /// "LENGTH KEY=VALUE\n" one after the other, LENGTH being that of all of it.
  void read_records(std::string_view text) {
    while (!text.empty()) {
      size_t length = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
      const auto digits = static_cast<size_t>(end - text.data());
      check(error == std::errc() && length > digits + 1 && length <= text.size() && text[digits] == ' ' &&
                text[length - 1] == '\n',
            "an extended header of a file is invalid");
      const std::string_view record = text.substr(digits + 1, length - digits - 2);
      const size_t equals = std::min(record.find('='), record.size());
      const std::string_view key = record.substr(0, equals);
      const std::string_view value = record.substr(std::min(equals + 1, record.size()));
      if (key == "path") name_ = value;
      if (key == "size") {
        uint64_t size = 0;
        const auto [stop, wrong] = std::from_chars(value.data(), value.data() + value.size(), size);
        check(wrong == std::errc() && stop == value.data() + value.size(), "the size of a file is not a number");
        size_ = size;
      }
      text.remove_prefix(length);
    }
  }

  const File& tar_;
  size_t at_ = 0;
  std::string name_;              // of the next file, where it does not fit in its head
  std::optional<uint64_t> size_;  // likewise
};

}  // namespace

bool starts_tar(std::span<const uint8_t> head) { return is_head(head); }

std::vector<ArchiveMember> tar_members(const File& tar) { return TarReader(tar).members(); }

}  // namespace coracle::internal
