// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "error.h"
#include "file_system.h"

namespace paddle {
namespace detail {

/// What the two kinds of Config ask of Coracle.
struct EngineOptions {
  std::string path;                                  ///< folder or program file
  std::string params;                                ///< parameter file, or empty
  std::shared_ptr<const std::string> program_bytes;  ///< instead of `path`
  std::shared_ptr<const std::string> params_bytes;
  int threads = 1;
  std::string disable_passes;   ///< as in coracle_model_options
  std::string disable_kernels;  ///< likewise
  std::string precision;        ///< likewise
  std::string device;           ///< likewise
  std::string engines;          ///< likewise
  std::string marks;            ///< likewise
  std::string shapes;           ///< likewise
  int64_t min_ops = 2;          ///< likewise
  void* stream = nullptr;       ///< as coracle_session_set_stream takes it; without effect where no device is used
  bool dump_graphs = false;
  std::string dump_folder;       ///< where to; empty: the working directory
  std::string shape_range_file;  ///< where to write the shapes of all runs; empty: nowhere
  bool match_inputs_by_name = false;
  std::string saved_folder;  ///< for the optimised model; empty: nowhere
  bool save = false;         ///< it there
  bool use_saved = false;    ///< where it is there; else it is saved
};

/// Makes or replaces a file, all or nothing. False where it cannot be written.
inline bool write_file(const std::string& path, const std::string& content) {
  const coracle_new_file file{path.c_str(), content.data(), content.size()};
  return coracle_write_files(&file, 1) == CORACLE_OK;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(system_path(path).c_str(), std::ios::binary);
  require(file.good(), "cannot read file '", path, "'");
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

/// True for a file of coracle_model_save, by its first bytes. Nothing of what was rewritten in it is undone.
inline bool is_saved_model(const std::string& path) {
  char head[5] = {};
  std::ifstream file(system_path(path).c_str(), std::ios::binary);
  return file.read(head, sizeof(head)).good() && std::string(head, sizeof(head)) ==
                                                     "\x89"
                                                     "CRCL";
}

}  // namespace detail
}  // namespace paddle
