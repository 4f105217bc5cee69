// SPDX-License-Identifier: Apache-2.0
#include "model/params.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "base/counted.h"
#include "base/error.h"
#include "base/fact.h"
#include "base/pages.h"
#include "base/printable.h"
#include "model/foreign.h"
#include "model/programdesc.h"

static_assert(std::endian::native == std::endian::little, "parameter files are little-endian and used in place");

namespace coracle::internal {
namespace {

/// Reads a tensor record after the other.
class RecordReader {
 public:
  explicit RecordReader(const File& file) : file_(file) {}

  size_t left() const { return file_.size() - at_; }

  Tensor next(const TensorInfo& declared) {
    declared_ = &declared;
    start_ = at_;
    const auto stream_version = number<uint32_t>("its version");
    check(stream_version == 0, "stream version ", stream_version, ", expected 0");
    skip_lod();
    const auto tensor_version = number<uint32_t>("its version");
    check(tensor_version == 0, "tensor version ", tensor_version, ", expected 0");
    const auto length = number<int32_t>("its description");
    check(length >= 0 && static_cast<size_t>(length) <= left(), "its description has ", counted(length, "byte"),
          ", but only ", left(), " are left");
    std::vector<uint8_t> bytes(static_cast<size_t>(length));
    take(bytes, "its description");
    return elements(description(bytes));
  }

 private:
  std::string place() const {
    return text("parameter ", in_quotes(declared_->name), " in ", in_quotes(file_.name()), " at byte ", start_, ": ");
  }

  template <class... Parts>
  void check(bool condition, const Parts&... parts) const {
    if (!condition) fail(ErrorCode::kInvalidModel, place(), parts...);
  }

  void skip(size_t count, std::string_view what) {
    check(count <= left(), "the file ends within ", what, ": ", counted(count, "byte"), " needed, ", left(), " left");
    at_ += count;
  }

  /// Copies the next bytes. What is short goes through a buffer: a description is a few numbers.
  void take(std::span<uint8_t> to, std::string_view what) {
    const size_t from = at_;
    skip(to.size(), what);
    size_t got = 0;
    while (got < to.size()) {
      const std::span<uint8_t> rest = to.subspan(got);
      const size_t at = from + got - buffer_at_;
      if (at < buffer_.size()) {  // from front to back, without a step back: packed files are read so
        const size_t kept = std::min(buffer_.size() - at, rest.size());
        std::copy_n(buffer_.begin() + static_cast<ptrdiff_t>(at), kept, rest.begin());
        got += kept;
      } else if (file_.in_place() != nullptr || rest.size() >= kBuffer) {
        got += file_.read(from + got, rest);
        break;
      } else {
        buffer_at_ = from + got;
        buffer_.resize(kBuffer);
        buffer_.resize(file_.read(buffer_at_, buffer_));
        if (buffer_.empty()) break;
      }
    }
    if (got == to.size()) return;
    fail(ErrorCode::kIo, place(), "the file was cut short while it was read: ", what, " have ",
         counted(to.size(), "byte"), " from byte ", from, " on, found ", got, " of them; the file had ",
         counted(file_.size(), "byte"), " when it was opened");
  }

  template <class T>
  T number(std::string_view what) {
    std::array<uint8_t, sizeof(T)> bytes;
    take(bytes, what);
    return std::bit_cast<T>(bytes);
  }

  void skip_lod() {
    const auto levels = number<uint64_t>("its sequence offsets");
    check(levels <= left() / sizeof(uint64_t), counted(levels, "level"), " of sequence offsets, but only ",
          counted(left(), "byte"), " are left");
    for (uint64_t i = 0; i < levels; ++i) skip(number<uint64_t>("its sequence offsets"), "its sequence offsets");
  }

  Fact description(std::span<const uint8_t> bytes) const {
    const programdesc::TensorDesc desc = programdesc::parse_tensor_desc(bytes);
    check(desc.type_number.has_value(), "its description has no element type");
    const std::optional<DType> dtype = dtype_of_var_type(*desc.type_number);
    check(dtype.has_value(), "element type number ", *desc.type_number, " is not known");
    check(desc.dims.size() <= static_cast<size_t>(Shape::kMaxRank), counted(desc.dims.size(), "dimension"),
          ", at most ", Shape::kMaxRank, " are possible");
    for (int64_t d : desc.dims) check(d >= 0, "dimension ", d);
    Fact fact(*dtype, Shape(desc.dims));
    check(!declared_->described || (fact.dtype == declared_->dtype && compatible(fact.shape, declared_->shape)),
          "the file has ", fact, ", the program expects ", Fact(declared_->dtype, declared_->shape),
          ": does it belong to another model?");
    return fact;
  }

  Tensor elements(const Fact& fact) {
    // Counted in steps that cannot overflow: more elements than bytes left is an error anyway.
    size_t count = 1;
    bool fits = true;
    for (int64_t d : fact.shape) {
      if (d == 0) count = 0;
    }
    for (int64_t d : fact.shape) {
      if (count == 0) break;
      fits = fits && static_cast<uint64_t>(d) <= left() / count;
      if (!fits) break;
      count *= static_cast<size_t>(d);
    }
    const size_t size = size_of(fact.dtype);
    check(fits && count <= left() / size, "the file ends within its elements: ", fact, " needs more than the ",
          counted(left(), "byte"), " that are left");
    const FileBytes* memory = file_.in_place();
    const std::span<const uint8_t> there =
        memory == nullptr ? std::span<const uint8_t>() : memory->bytes.subspan(at_, count * size);
    if (memory != nullptr && reinterpret_cast<uintptr_t>(there.data()) % alignment_of(fact.dtype) == 0) {
      at_ += there.size();
      return Tensor::share(fact.dtype, fact.shape, memory->owner, there.data());
    }
    Tensor copy = room_for(fact, count * size);
    const std::span<uint8_t> to(static_cast<uint8_t*>(copy.raw()), count * size);
    if (memory == nullptr) {
      take(to, "its elements");
      return copy;
    }
    // In parts, so that little of a mapped file is in memory beside the copy.
    for (size_t done = 0; done < to.size(); done += kMany) {
      const size_t part = std::min(kMany, to.size() - done);
      take(to.subspan(done, part), "its elements");
      memory->put_away(there.subspan(done, part));
    }
    return copy;
  }

  /// A new tensor; of many bytes in pages of its own, which the system makes faster than the allocator's.
  static Tensor room_for(const Fact& fact, size_t bytes) {
    if (bytes < kMany) return Tensor::make(fact.dtype, fact.shape);
    const auto pages = std::make_shared<Pages>(bytes);
    return Tensor::share(fact.dtype, fact.shape, pages, pages->data());
  }

  static size_t alignment_of(DType dtype) { return is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype); }

  static constexpr size_t kBuffer = size_t{16} << 10U;
  static constexpr size_t kMany = size_t{16} << 20U;

  const File& file_;
  const TensorInfo* declared_ = nullptr;
  size_t at_ = 0;
  size_t start_ = 0;             ///< of the record being read
  std::vector<uint8_t> buffer_;  ///< bytes of the file
  size_t buffer_at_ = 0;         ///< where they are in it
};

/// Keeps what is to be known of the file that `tensors` were read from.
void note(const File& file, std::span<const Tensor> tensors, Parameters& into) {
  const bool is_new = file.stamp() && (into.files.empty() || into.files.back().path != file.stamp()->path);
  if (is_new) into.files.push_back(*file.stamp());  // many files of an archive are one
  const FileBytes* memory = file.in_place();
  if (memory == nullptr || !memory->mapped) return;
  for (const Tensor& t : tensors) {
    const auto* begin = static_cast<const uint8_t*>(t.raw());
    const bool inside = std::less_equal<>()(memory->bytes.data(), begin) &&
                        std::less<>()(begin, memory->bytes.data() + memory->bytes.size());
    if (inside) into.mapped_bytes += t.bytes();
  }
}

}  // namespace

std::vector<Tensor> read_combined_parameters(const File& file, const std::vector<TensorInfo>& declared) try {
  RecordReader reader(file);
  std::vector<Tensor> tensors;
  tensors.reserve(declared.size());
  for (const TensorInfo& info : declared) {
    require(reader.left() != 0, ErrorCode::kInvalidModel, "the parameter file ", in_quotes(file.name()), " ends after ",
            tensors.size(), " of ", declared.size(), " parameters; ", in_quotes(info.name),
            " is missing: does the file belong to another model, or was it cut short?");
    tensors.push_back(reader.next(info));
  }
  require(reader.left() == 0, ErrorCode::kInvalidModel, "the parameter file ", in_quotes(file.name()), " has ",
          counted(reader.left(), "byte"), " more than the ", counted(declared.size(), "parameter"),
          " of the program take: does it belong to another model?");
  file.require_unchanged();
  return tensors;
} catch (const Error& error) {
  fail_reading(file, error);
}

Tensor read_single_parameter(const File& file, const TensorInfo& declared) try {
  RecordReader reader(file);
  Tensor tensor = reader.next(declared);
  require(reader.left() == 0, ErrorCode::kInvalidModel, "the parameter file ", in_quotes(file.name()), " has ",
          counted(reader.left(), "byte"), " more than the parameter ", in_quotes(declared.name), " takes");
  file.require_unchanged();
  return tensor;
} catch (const Error& error) {
  fail_reading(file, error);
}

Parameters read_parameters(const ModelFiles& files, const std::vector<TensorInfo>& declared) {
  Parameters parameters;
  if (declared.empty()) return parameters;
  if (const std::optional<File> file = files.open_combined()) {
    parameters.tensors = read_combined_parameters(*file, declared);
    note(*file, parameters.tensors, parameters);
    return parameters;
  }
  parameters.tensors.reserve(declared.size());
  for (const TensorInfo& info : declared) {
    const std::optional<File> file = files.open_single(info.name);
    require(file.has_value(), ErrorCode::kIo, "no parameter file for ", in_quotes(info.name), ": looked for ",
            files.looked_for);
    parameters.tensors.push_back(read_single_parameter(*file, info));
    note(*file, {&parameters.tensors.back(), 1}, parameters);
  }
  return parameters;
}

}  // namespace coracle::internal
