// SPDX-License-Identifier: Apache-2.0
#include "client/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "archive/unzipped.h"
#include "base/dtype_table.h"

namespace coracle::client {
namespace {

/// NumPy's code of a type: "<f4". Types that NumPy does not have are unsigned integers of their size.
std::string code_of(internal::DType dtype) {
  const internal::DTypeRow& row = internal::row_of(dtype);
  const auto kind = [&] {
    switch (row.kind) {
      case internal::DTypeKind::kBool: return 'b';
      case internal::DTypeKind::kSigned: return 'i';
      case internal::DTypeKind::kFloat: return dtype == internal::DType::kBfloat16 ? 'u' : 'f';
      case internal::DTypeKind::kComplex: return 'c';
      case internal::DTypeKind::kUnsigned:
      case internal::DTypeKind::kFloat8:
      case internal::DTypeKind::kUnknown: break;
    }
    return 'u';
  };
  return (row.size == 1 ? "|" : "<") + (kind() + std::to_string(row.size));
}

[[noreturn]] void damaged(const std::string& path, const std::string& why) {
  fail(CORACLE_IO, path + ": not a NumPy file this program reads: " + why);
}

/// The text after "'key':" in the header dictionary.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& path) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) damaged(path, "the header has no '" + std::string(key) + "'");
  std::string_view rest = header.substr(at + key.size() + 2);
  const size_t begin = rest.find_first_not_of(": ");
  if (begin == std::string_view::npos) damaged(path, "the header ends early");
  return rest.substr(begin);
}

/// The dimensions that a tuple begins with: "(1, 3, 2, 2)", "(5,)" or "()".
coracle::Dims dims_of(std::string_view tuple, const std::string& path) {
  const size_t close = tuple.find(')');
  if (!tuple.starts_with('(') || close == std::string_view::npos) damaged(path, "the shape is not a tuple");
  std::string_view rest = tuple.substr(1, close - 1);
  const auto skip_spaces = [&] { rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size())); };
  coracle::Dims dims;
  for (skip_spaces(); !rest.empty(); skip_spaces()) {
    int64_t dim = 0;
    const auto [next, error] = std::from_chars(rest.data(), rest.data() + rest.size(), dim);
    if (error == std::errc::result_out_of_range) damaged(path, "a dimension is too large");
    if (error != std::errc() || dim < 0) {
      damaged(path, "the shape " + std::string(tuple.substr(0, close + 1)) + " is not a tuple of integers");
    }
    dims.push_back(dim);
    if (dims.size() > CORACLE_MAX_RANK) damaged(path, "it has too many dimensions");
    rest.remove_prefix(static_cast<size_t>(next - rest.data()));
    skip_spaces();
    if (!rest.empty() && rest.front() != ',') damaged(path, "the dimensions of the shape are not separated by commas");
    if (!rest.empty()) rest.remove_prefix(1);
  }
  return dims;
}

void to_row_major(Tensor& a) {
  const size_t size = coracle_dtype_size(a.dtype);
  const size_t count = element_count(a.dims);
  std::vector<std::byte> out(a.bytes.size());
  std::vector<size_t> at(a.dims.size(), 0);
  for (size_t i = 0; i < count; ++i) {
    size_t from = 0;
    for (size_t d = a.dims.size(); d-- > 0;) from = from * static_cast<size_t>(a.dims[d]) + at[d];
    std::memcpy(out.data() + i * size, a.bytes.data() + from * size, size);
    for (size_t d = a.dims.size(); d-- > 0;) {
      if (++at[d] < static_cast<size_t>(a.dims[d])) break;
      at[d] = 0;
    }
  }
  a.bytes = std::move(out);
}

}  // namespace

const char* npy_bits(coracle_dtype dtype) {
  if (dtype == CORACLE_BFLOAT16) return "uint16";
  return internal::row_of(static_cast<internal::DType>(dtype)).kind == internal::DTypeKind::kFloat8 ? "uint8" : nullptr;
}

Tensor parse_npy(const std::string& path, std::string_view content) {
  if (content.size() < 12 || content.compare(0, 6, "\x93NUMPY") != 0)
    damaged(path, "it does not begin with \\x93NUMPY");
  const bool wide = content[6] >= 2;
  size_t length = 0;
  for (size_t i = 0; i < (wide ? 4U : 2U); ++i)
    length |= static_cast<size_t>(static_cast<uint8_t>(content[8 + i])) << (8 * i);
  const size_t begin = wide ? 12 : 10;
  if (begin + length > content.size()) damaged(path, "the header ends early");
  const std::string_view header(content.data() + begin, length);

  Tensor a;
  const std::string_view descr = value_of(header, "descr", path);
  bool known = false;
  for (int d = 0; d < static_cast<int>(internal::DType::kUnknown) && !known; ++d) {
    const std::string code = code_of(static_cast<internal::DType>(d));
    known = descr.size() > 1 && descr.substr(1).starts_with(code + descr[0]);
    if (known) a.dtype = static_cast<coracle_dtype>(d);
  }
  if (!known) {
    const size_t end = descr.empty() ? 0 : descr.find(descr[0], 1);
    const std::string_view type = descr.substr(0, end == std::string_view::npos ? 6 : end + 1);
    const bool foreign = type.find("V1") != std::string_view::npos || type.find("f1'") != std::string_view::npos ||
                         type.find("V2") != std::string_view::npos;
    damaged(path, "its element type " + std::string(type) + " is not supported" +
                      (foreign ? "; save the bits of types that NumPy does not have: x.view('uint8') of float8, "
                                 "x.view('uint16') of bfloat16"
                               : ""));
  }
  const bool fortran = value_of(header, "fortran_order", path).starts_with("True");
  a.dims = dims_of(value_of(header, "shape", path), path);
  const size_t given = content.size() - begin - length;
  const std::optional<size_t> bytes = byte_count(a.dtype, a.dims);
  if (!bytes) damaged(path, "it is shorter than its shape");
  if (given != *bytes) {
    damaged(path, "it has " + std::to_string(given) + " bytes of data, expected " + std::to_string(*bytes));
  }
  a.bytes.resize(given);
  if (given != 0) std::memcpy(a.bytes.data(), content.data() + begin + length, given);
  if (fortran && a.dims.size() > 1) to_row_major(a);
  return a;
}

std::string npy_bytes(const Tensor& tensor) {
  const std::string descr = code_of(static_cast<internal::DType>(tensor.dtype));
  std::string shape;
  for (int64_t d : tensor.dims) shape.append(std::to_string(d)).append(tensor.dims.size() == 1 ? "," : ", ");
  if (shape.ends_with(", ")) shape.resize(shape.size() - 2);
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((10 + header.size() + 1) % 64 != 0) header.push_back(' ');
  header.push_back('\n');
  std::string content("\x93NUMPY\x01\x00", 8);
  content.push_back(static_cast<char>(header.size() & 0xFF));
  content.push_back(static_cast<char>(header.size() >> 8));
  content.append(header).append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return content;
}

NamedTensors parse_npz(const std::string& path, std::string_view content) {
  constexpr size_t kMost = size_t{2} << 30U;
  NamedTensors tensors;
  try {
    for (const auto& [name, file] : internal::unzipped(path, content, kMost)) {
      if (!name.ends_with(".npy")) continue;
      tensors.emplace_back(name.substr(0, name.size() - 4), parse_npy(path + ": " + name, file));
    }
  } catch (const internal::Error& e) {
    fail(CORACLE_IO, e.text());
  }
  return tensors;
}

}  // namespace coracle::client
