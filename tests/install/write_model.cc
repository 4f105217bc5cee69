// SPDX-License-Identifier: Apache-2.0
// write_model FOLDER: writes a model of two operators into the folder, for tests of programs outside this build.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "support/small_models.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const coracle::internal::test::ModelBytes bytes = coracle::internal::test::product_model();
  std::ofstream(folder / "inference.pdmodel", std::ios::binary) << bytes.program;
  std::ofstream(folder / "inference.pdiparams", std::ios::binary) << bytes.params;
  return 0;
}
