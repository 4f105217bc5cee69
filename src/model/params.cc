// SPDX-License-Identifier: Apache-2.0
#include "model/params.h"

#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/fact.h"
#include "base/printable.h"
#include "model/programdesc.h"

static_assert(std::endian::native == std::endian::little, "parameter files are little-endian and used in place");

namespace coracle {
namespace {

/// Reads a tensor record after the other.
class RecordReader {
 public:
  explicit RecordReader(const FileBytes& file) : file_(file) {}

  size_t offset() const { return at_; }
  size_t left() const { return file_.bytes.size() - at_; }

  Tensor next(const TensorInfo& declared) {
    declared_ = &declared;
    start_ = at_;
    const auto stream_version = number<uint32_t>("its version");
    check(stream_version == 0, "stream version ", stream_version, ", expected 0");
    skip_lod();
    const auto tensor_version = number<uint32_t>("its version");
    check(tensor_version == 0, "tensor version ", tensor_version, ", expected 0");
    const auto length = number<int32_t>("its description");
    check(length >= 0 && static_cast<size_t>(length) <= left(), "a description of ", length, " bytes where ", left(),
          " are left");
    const Fact fact = description(take(static_cast<size_t>(length), "its description"));
    return elements(fact);
  }

 private:
  template <class... Parts>
  void check(bool condition, const Parts&... parts) const {
    require(condition, ErrorCode::kInvalidModel, "parameter ", in_quotes(declared_->name), " in ",
            in_quotes(file_.name), " at byte ", start_, ": ", parts...);
  }

  std::span<const uint8_t> take(size_t count, std::string_view what) {
    check(count <= left(), "the file ends within ", what, ": ", count, " bytes needed, ", left(), " left");
    const std::span<const uint8_t> bytes = file_.bytes.subspan(at_, count);
    at_ += count;
    return bytes;
  }

  template <class T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  void skip_lod() {
    const auto levels = number<uint64_t>("its sequence offsets");
    check(levels <= left() / sizeof(uint64_t), levels, " levels of sequence offsets where ", left(), " bytes are left");
    for (uint64_t i = 0; i < levels; ++i) take(number<uint64_t>("its sequence offsets"), "its sequence offsets");
  }

  Fact description(std::span<const uint8_t> bytes) const {
    const programdesc::TensorDesc desc = programdesc::parse_tensor_desc(bytes);
    check(desc.type_number.has_value(), "its description has no element type");
    const std::optional<DType> dtype = dtype_of_var_type(*desc.type_number);
    check(dtype.has_value(), "element type number ", *desc.type_number, " is not known");
    check(desc.dims.size() <= static_cast<size_t>(Shape::kMaxRank), desc.dims.size(), " dimensions, at most ",
          Shape::kMaxRank, " are possible");
    for (int64_t d : desc.dims) check(d >= 0, "dimension ", d);
    Fact fact(*dtype, Shape(desc.dims));
    check(fact.dtype == declared_->dtype && compatible(fact.shape, declared_->shape), "the file has ", fact,
          ", the program expects ", Fact(declared_->dtype, declared_->shape), ": is it of another model?");
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
    check(fits && count <= left() / size, "the file ends within its elements: ", fact, " where ", left(),
          " bytes are left");
    const std::span<const uint8_t> bytes = take(count * size, "its elements");
    if (reinterpret_cast<uintptr_t>(bytes.data()) % alignment_of(fact.dtype) == 0) {
      return Tensor::share(fact.dtype, fact.shape, file_.owner, bytes.data());
    }
    Tensor copy = Tensor::make(fact.dtype, fact.shape);
    std::memcpy(copy.raw(), bytes.data(), bytes.size());
    file_.put_away(bytes);
    return copy;
  }

  static size_t alignment_of(DType dtype) { return is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype); }

  const FileBytes& file_;
  const TensorInfo* declared_ = nullptr;
  size_t at_ = 0;
  size_t start_ = 0;  ///< of the record being read
};

}  // namespace

std::vector<Tensor> read_combined_parameters(const FileBytes& file, const std::vector<TensorInfo>& declared) {
  RecordReader reader(file);
  std::vector<Tensor> tensors;
  tensors.reserve(declared.size());
  for (const TensorInfo& info : declared) {
    require(reader.left() != 0, ErrorCode::kInvalidModel, "the parameter file ", in_quotes(file.name), " ends after ",
            tensors.size(), " of ", declared.size(), " parameters; ", in_quotes(info.name),
            " is missing: is it of another model, or cut short?");
    tensors.push_back(reader.next(info));
  }
  require(reader.left() == 0, ErrorCode::kInvalidModel, "the parameter file ", in_quotes(file.name), " has ",
          reader.left(), " bytes more than the ", declared.size(),
          " parameters of the program take: is it of another model?");
  return tensors;
}

Tensor read_single_parameter(const FileBytes& file, const TensorInfo& declared) {
  RecordReader reader(file);
  Tensor tensor = reader.next(declared);
  require(reader.left() == 0, ErrorCode::kInvalidModel, "the parameter file ", in_quotes(file.name), " has ",
          reader.left(), " bytes more than the parameter ", in_quotes(declared.name), " takes");
  return tensor;
}

std::vector<Tensor> read_parameters(const ModelFiles& files, const std::vector<TensorInfo>& declared) {
  if (declared.empty()) return {};
  if (const std::optional<FileBytes> file = files.open_combined()) return read_combined_parameters(*file, declared);
  std::vector<Tensor> tensors;
  tensors.reserve(declared.size());
  for (const TensorInfo& info : declared) {
    const std::optional<FileBytes> file = files.open_single(info.name);
    require(file.has_value(), ErrorCode::kIo, "no parameter file for ", in_quotes(info.name), ": looked for ",
            files.looked_for);
    tensors.push_back(read_single_parameter(*file, info));
  }
  return tensors;
}

}  // namespace coracle
