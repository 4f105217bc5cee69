// SPDX-License-Identifier: Apache-2.0
// write_java_models FOLDER: writes the models of PaddleLiteTest.java into it: "product", as in small_models.h, and
// "types", as in types_model.h.
#include <filesystem>
#include <fstream>

#include "support/small_models.h"
#include "support/types_model.h"

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
