// SPDX-License-Identifier: Apache-2.0
#include "archive/inflated.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"

namespace coracle::internal {
namespace {

constexpr size_t kAtATime = size_t{1} << 20U;  // bytes between looks at time limits
constexpr uint8_t kGzip = 0x1f;                // the first byte of each part

/// How far the bytes are unpacked.
class Progress {
 public:
  explicit Progress(bool is_gzip) {
    const int window = is_gzip ? MAX_WBITS + 16 : -MAX_WBITS;
    if (::inflateInit2(&stream, window) != Z_OK) throw std::bad_alloc();
  }
  /// A copy that reads its input again.
  Progress(const Progress& other)
      : read(other.read - other.stream.avail_in), made(other.made), checksum(other.checksum), ended(other.ended) {
    if (::inflateCopy(&stream, const_cast<z_stream*>(&other.stream)) != Z_OK) throw std::bad_alloc();
    stream.avail_in = 0;
  }
  ~Progress() { ::inflateEnd(&stream); }
  Progress& operator=(const Progress&) = delete;

  z_stream stream{};
  size_t read = 0;  ///< bytes of input taken from the file
  size_t made = 0;  ///< bytes of output
  uLong checksum = ::crc32(0, nullptr, 0);
  bool ended = false;
};

class Inflated : public MadeBytes {
 public:
  explicit Inflated(Deflated packed) : packed_(std::move(packed)) {}

  size_t read(size_t offset, std::span<uint8_t> to) override {
    if (progress_ == nullptr || offset < progress_->made) start_before(offset);
    if (offset > progress_->made) {
      std::vector<uint8_t> passed(std::min(offset - progress_->made, kAtATime));
      while (offset > progress_->made) {
        const size_t rest = std::min(offset - progress_->made, passed.size());
        if (make(std::span(passed).first(rest)) < rest) return 0;
      }
    }
    size_t got = 0;
    while (got < to.size()) {
      const size_t rest = std::min(to.size() - got, kAtATime);
      const size_t made = make(to.subspan(got, rest));
      got += made;
      if (made < rest) break;
    }
    return got;
  }

 private:
  template <class... Parts>
  [[noreturn]] void damaged(const Parts&... parts) const {
    fail(ErrorCode::kInvalidModel, "the archive ", in_quotes(packed_.bytes.name()), " is damaged: ", parts...);
  }

  void start_before(size_t offset) {
    const auto behind = std::upper_bound(places_.begin(), places_.end(), offset,
                                         [](size_t at, const auto& place) { return at < place->made; });
    progress_ = behind == places_.begin() ? std::make_unique<Progress>(packed_.is_gzip)
                                          : std::make_unique<Progress>(**std::prev(behind));
  }

  /// The next bytes; fewer than asked for where there are no more.
  size_t make(std::span<uint8_t> to) {
    packed_.bytes.context().check();
    Progress& p = *progress_;
    p.stream.next_out = to.data();
    p.stream.avail_out = static_cast<uInt>(to.size());
    while (p.stream.avail_out != 0 && !p.ended) step();
    const size_t made = to.size() - p.stream.avail_out;
    if (!packed_.is_gzip) p.checksum = ::crc32(p.checksum, to.data(), static_cast<uInt>(made));
    p.made += made;
    note_place();
    check_end();
    return made;
  }

  /// Fills the input where it is empty; false where there is none.
  bool has_input() {
    Progress& p = *progress_;
    if (p.stream.avail_in != 0) return true;
    const size_t got = packed_.bytes.read(p.read, input_);
    p.read += got;
    p.stream.next_in = input_.data();
    p.stream.avail_in = static_cast<uInt>(got);
    return got != 0;
  }

  void step() {
    Progress& p = *progress_;
    if (!has_input()) damaged("it ends within its packed bytes: was it cut short?");
    switch (::inflate(&p.stream, Z_NO_FLUSH)) {
      case Z_OK:
      case Z_BUF_ERROR:  // which needs more input
        return;
      case Z_STREAM_END:
        // Files of gzip may stand one behind the other, and be filled up with zeros.
        p.ended = !packed_.is_gzip || !has_input() || *p.stream.next_in != kGzip;
        if (!p.ended) ::inflateReset(&p.stream);
        return;
      case Z_MEM_ERROR: throw std::bad_alloc();
      default:
        damaged("its packed bytes are invalid before byte ", p.read, " (",
                p.stream.msg == nullptr ? "no reason known" : p.stream.msg, ")");
    }
  }

  /// Where all is made that there should be, that is all, and it is right.
  void check_end() {
    Progress& p = *progress_;
    if (p.ended && !packed_.is_gzip && p.made < packed_.size) {
      damaged("expected ", counted(packed_.size, "byte"), " unpacked, found ", p.made);
    }
    if (p.made < packed_.size) return;
    uint8_t more = 0;
    p.stream.next_out = &more;
    p.stream.avail_out = 1;
    while (p.stream.avail_out != 0 && !p.ended) step();
    if (p.stream.avail_out == 0) damaged("it unpacks to more than ", counted(packed_.size, "byte"));
    if (!packed_.is_gzip && p.checksum != packed_.checksum) {
      damaged("the checksum (CRC-32) of what it unpacks to is ", p.checksum, ", expected ", packed_.checksum);
    }
  }

  /// Keeps a copy of what zlib knows, some 40 KiB, at places that are far enough from each other.
  void note_place() {
    constexpr size_t kApart = size_t{4} << 20U;
    constexpr size_t kMost = 64;
    const size_t last = places_.empty() ? 0 : places_.back()->made;
    if (progress_->made >= last + kApart && places_.size() < kMost) {
      places_.push_back(std::make_unique<Progress>(*progress_));
    }
  }

  const Deflated packed_;
  std::unique_ptr<Progress> progress_;
  std::vector<std::unique_ptr<Progress>> places_;  // in order
  std::array<uint8_t, size_t{32} << 10U> input_;
};

}  // namespace

std::shared_ptr<MadeBytes> inflated(Deflated packed) { return std::make_shared<Inflated>(std::move(packed)); }

size_t most_unpacked(size_t packed) {
  constexpr size_t kAlways = size_t{1} << 30U;
  constexpr size_t kRatio = 100;
  constexpr size_t kDeflate = 1032;  // what deflate reaches with zeros
  const size_t most = packed > SIZE_MAX / (2 * kDeflate) ? SIZE_MAX / 2 : packed * kDeflate + kDeflate;
  return std::min(most, kAlways + (packed > SIZE_MAX / (2 * kRatio) ? SIZE_MAX / 2 : packed * kRatio));
}

}  // namespace coracle::internal
