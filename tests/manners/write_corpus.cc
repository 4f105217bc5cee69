// SPDX-License-Identifier: Apache-2.0
// write_corpus FOLDER: the small models of the tests as files, each in a folder of its own.
#include <filesystem>
#include <fstream>

#include "support/small_models.h"

namespace {

void write_all(const std::filesystem::path& folder, const std::vector<coracle::internal::test::ModelBytes>& models,
               const char* program) {
  for (const coracle::internal::test::ModelBytes& model : models) {
    const std::filesystem::path own = folder / model.name;
    std::filesystem::create_directories(own);
    std::ofstream(own / program, std::ios::binary) << model.program;
    if (!model.params.empty()) std::ofstream(own / "inference.pdiparams", std::ios::binary) << model.params;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  write_all(folder / "program", coracle::internal::test::small_program_models(), "inference.pdmodel");
  write_all(folder / "pir", coracle::internal::test::small_pir_models(), "inference.json");
  return 0;
}
