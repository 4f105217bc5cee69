// SPDX-License-Identifier: Apache-2.0
#include "cli/npy.h"

#include <cstring>
#include <string_view>

#include "cli/failure.h"
#include "cli/file.h"

namespace coracle::cli {
namespace {

struct Code {
  const char* text;
  coracle_dtype dtype;
};
constexpr Code kCodes[] = {{"|b1", CORACLE_BOOL},    {"|i1", CORACLE_INT8},      {"|u1", CORACLE_UINT8},
                           {"<i2", CORACLE_INT16},   {"<i4", CORACLE_INT32},     {"<i8", CORACLE_INT64},
                           {"<f2", CORACLE_FLOAT16}, {"<u2", CORACLE_BFLOAT16},  {"<f4", CORACLE_FLOAT32},
                           {"<f8", CORACLE_FLOAT64}, {"<c8", CORACLE_COMPLEX64}, {"<c16", CORACLE_COMPLEX128}};

[[noreturn]] void damaged(const std::string& path, const std::string& why) {
  throw Failure(ExitCode::kIo, path + ": not a NumPy file this program reads: " + why);
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

void to_row_major(Array& a) {
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

Array read_npy(const std::string& path) {
  const std::string all = read_file(path);
  if (all.size() < 12 || all.compare(0, 6, "\x93NUMPY") != 0) damaged(path, "it does not begin with \\x93NUMPY");
  const bool wide = all[6] >= 2;
  size_t length = 0;
  for (size_t i = 0; i < (wide ? 4U : 2U); ++i)
    length |= static_cast<size_t>(static_cast<uint8_t>(all[8 + i])) << (8 * i);
  const size_t begin = wide ? 12 : 10;
  if (begin + length > all.size()) damaged(path, "the header ends early");
  const std::string_view header(all.data() + begin, length);

  Array a;
  const std::string_view descr = value_of(header, "descr", path);
  bool known = false;
  for (const Code& code : kCodes) {
    if (descr.size() > 1 && descr.substr(1).starts_with(std::string(code.text) + descr[0])) {
      a.dtype = code.dtype;
      known = true;
    }
  }
  if (!known) damaged(path, "element type " + std::string(descr.substr(0, 6)) + " is not supported");
  const bool fortran = value_of(header, "fortran_order", path).starts_with("True");
  std::string_view shape = value_of(header, "shape", path);
  const size_t close = shape.find(')');
  if (shape.empty() || shape[0] != '(' || close == std::string_view::npos) damaged(path, "the shape is not a tuple");
  shape = shape.substr(1, close - 1);
  size_t bytes = coracle_dtype_size(a.dtype);
  while (true) {
    const size_t digit = shape.find_first_of("0123456789");
    if (digit == std::string_view::npos) break;
    int64_t dim = 0;
    size_t i = digit;
    for (; i < shape.size() && shape[i] >= '0' && shape[i] <= '9'; ++i) {
      if (dim > (int64_t{1} << 50)) damaged(path, "a dimension is too large");
      dim = dim * 10 + (shape[i] - '0');
    }
    a.dims.push_back(dim);
    if (a.dims.size() > CORACLE_MAX_RANK) damaged(path, "it has too many dimensions");
    if (dim != 0 && bytes > all.size() / static_cast<size_t>(dim) + all.size())
      damaged(path, "it is shorter than its shape");
    bytes *= static_cast<size_t>(dim);
    shape.remove_prefix(i);
  }
  if (all.size() - begin - length != bytes) {
    damaged(path, "it has " + std::to_string(all.size() - begin - length) + " bytes of data, expected " +
                      std::to_string(bytes));
  }
  a.bytes.resize(bytes);
  std::memcpy(a.bytes.data(), all.data() + begin + length, bytes);
  if (fortran && a.dims.size() > 1) to_row_major(a);
  return a;
}

void write_npy(const std::string& path, const Array& array) {
  const char* descr = "<f4";
  for (const Code& code : kCodes) {
    if (code.dtype == array.dtype) descr = code.text;
  }
  std::string shape;
  for (int64_t d : array.dims) shape.append(std::to_string(d)).append(array.dims.size() == 1 ? "," : ", ");
  if (shape.ends_with(", ")) shape.resize(shape.size() - 2);
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((10 + header.size() + 1) % 64 != 0) header.push_back(' ');
  header.push_back('\n');
  std::string content("\x93NUMPY\x01\x00", 8);
  content.push_back(static_cast<char>(header.size() & 0xFF));
  content.push_back(static_cast<char>(header.size() >> 8));
  content.append(header).append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  write_file(path, content);
}

}  // namespace coracle::cli
