// SPDX-License-Identifier: Apache-2.0
#include "support/npy.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>

namespace coracle::internal::test {
namespace {

const std::map<std::string_view, DType> kTypes{
    {"f4", DType::kFloat32}, {"f8", DType::kFloat64}, {"f2", DType::kFloat16},
    {"i8", DType::kInt64},   {"i4", DType::kInt32},   {"i2", DType::kInt16},
    {"i1", DType::kInt8},    {"u1", DType::kUint8},   {"b1", DType::kBool}};

/// The text after `'key':` in the header dictionary.
std::string_view entry(std::string_view header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string_view::npos) throw std::runtime_error("a .npy header without " + std::string(key));
  return header.substr(header.find(':', at) + 1);
}

}  // namespace

Tensor read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0) throw std::runtime_error("not a .npy file: " + path);
  uint16_t length = 0;
  std::memcpy(&length, bytes.data() + 8, sizeof(length));
  const std::string_view header = std::string_view(bytes).substr(10, length);

  std::string_view descr = entry(header, "'descr'");
  descr.remove_prefix(descr.find('\'') + 2);
  const auto type = kTypes.find(descr.substr(0, 2));
  if (type == kTypes.end()) throw std::runtime_error("an element type not handled here: " + path);

  Shape shape;
  std::string_view dims = entry(header, "'shape'");
  dims = dims.substr(dims.find('(') + 1);
  dims = dims.substr(0, dims.find(')'));
  while (!dims.empty()) {
    const size_t comma = std::min(dims.find(','), dims.size());
    const std::string part(dims.substr(0, comma));
    if (part.find_first_of("0123456789") != std::string::npos) shape.push_back(std::stoll(part));
    dims.remove_prefix(std::min(comma + 1, dims.size()));
  }
  Tensor tensor = Tensor::make(type->second, shape);
  const size_t start = 10U + length;
  if (bytes.size() - start != tensor.bytes()) throw std::runtime_error("a .npy file of another size: " + path);
  if (tensor.bytes() != 0) std::memcpy(tensor.raw(), bytes.data() + start, tensor.bytes());
  return tensor;
}

void write_npy(const std::string& path, const Tensor& tensor) {
  std::string header = "{'descr': '";
  for (const auto& [code, dtype] : kTypes) {
    if (dtype == tensor.dtype()) header.append(size_of(dtype) == 1 ? "|" : "<").append(code);
  }
  header.append("', 'fortran_order': False, 'shape': (");
  for (int64_t d : tensor.shape()) header.append(std::to_string(d)).append(",");
  header.append("), }");
  header.resize((10 + header.size()) / 64 * 64 + 64 - 10, ' ');
  header.back() = '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8).put(static_cast<char>(header.size() & 0xFF));
  file.put(static_cast<char>(header.size() >> 8U)).write(header.data(), static_cast<std::streamsize>(header.size()));
  file.write(static_cast<const char*>(tensor.raw()), static_cast<std::streamsize>(tensor.bytes()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace coracle::internal::test
