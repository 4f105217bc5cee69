// SPDX-License-Identifier: Apache-2.0
// Quantises a model with one input of float32 numbers:
//   quantize_numbers MODEL OUTPUT SHAPE FILE...   SHAPE is 1x3x224x224; each FILE has the elements of one set, as in
//   memory
#include <coracle/quantize.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

coracle::Dims parse_shape(const std::string& text) {
  coracle::Dims dims;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, 'x');) dims.push_back(std::stoll(part));
  return dims;
}

std::vector<float> read_floats(const std::string& path, const coracle::Dims& dims) {
  std::size_t count = 1;
  for (const std::int64_t d : dims) count *= static_cast<std::size_t>(d);
  std::vector<float> values(count);
  const auto bytes = static_cast<std::streamsize>(count * sizeof(float));
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(values.data()), bytes)) {
    throw std::runtime_error(path + ": expected " + std::to_string(bytes) + " bytes");
  }
  return values;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 5) throw std::runtime_error("usage: quantize_numbers MODEL OUTPUT SHAPE FILE...");
  const coracle::Dims dims = parse_shape(argv[3]);
  const std::vector<std::string> files(argv + 4, argv + argc);
  coracle::QuantizeOptions options;
  options.settings = {"method=minmax"};
  options.sets = files.size();
  options.data = [&](std::size_t set, coracle::QuantizeInputs& inputs) {
    inputs.name_set(files[set]);  // for messages
    inputs.set<float>({}, dims, read_floats(files[set], dims));
  };
  options.message = [](coracle_log_level, const std::string& message) { std::cerr << message << '\n'; };
  std::cout << coracle::quantize(argv[1], argv[2], options).text();
  return 0;
} catch (const std::exception& e) {
  std::cerr << "quantize_numbers: " << e.what() << '\n';
  return 1;
}
