// SPDX-License-Identifier: Apache-2.0
// write_java_models FOLDER: writes the models of PaddleLiteTest.java into it: "product", as in small_models.h, and
// "types", whose inputs and outputs are of each type that Java has arrays for.
#include <filesystem>
#include <fstream>

#include "support/program_writer.h"
#include "support/small_models.h"

namespace coracle::internal::test {
namespace {

constexpr int kUInt8 = 20;

/// Input "in_<type>" [?] is output "out_<type>".
std::string types_model() {
  BlockWriter b;
  int col = 0;
  for (const auto& [name, type] : std::vector<std::pair<std::string, int>>{{"float", kFloat32},
                                                                           {"int", kInt32},
                                                                           {"long", kInt64},
                                                                           {"uint8", kUInt8},
                                                                           {"int8", kInt8},
                                                                           {"bool", kBool}}) {
    add_feed(b, "in_" + name, type, {-1}, col);
    b.variables.push_back(variable("out_" + name, type, {-1}));
    b.operators.push_back(OpWriter("assign").in("X", {"in_" + name}).out("Out", {"out_" + name}));
    ++col;
  }
  col = 0;
  for (const char* name : {"float", "int", "long", "uint8", "int8", "bool"})
    add_fetch(b, std::string("out_") + name, col++);
  return program_file({b});
}

}  // namespace
}  // namespace coracle::internal::test

int main(int argc, char** argv) {
  using namespace coracle::internal::test;
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder / "product");
  const ModelBytes product = product_model();
  std::ofstream(folder / "product/inference.pdmodel", std::ios::binary) << product.program;
  std::ofstream(folder / "product/inference.pdiparams", std::ios::binary) << product.params;
  std::ofstream(folder / "types.pdmodel", std::ios::binary) << types_model();
  return 0;
}
