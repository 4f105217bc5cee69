// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/load.h"
#include "passes/pass.h"
#include "run/program.h"

namespace coracle {

struct ModelOptions {
  KernelChoice kernels;
  PassOptions passes;
  std::vector<std::string> keep_tensors;             ///< variables that stay readable after a run; "*": all with a name
  int64_t time_limit_ms = 0;                         ///< of loading; 0: none
  const std::atomic<uint32_t>* cancelled = nullptr;  ///< ends loading when its lowest bit is set; null: never
  Weights weights = Weights::kAutomatic;             ///< of models on disk
  bool declared_sizes_bind = false;                  ///< inputs have the fixed sizes that the model declares
  bool check_weights = false;                        ///< of saved models, by their checksums
  std::string device = {};  ///< where nodes run if it has kernels for them: see open_devices; empty: the host
};

/// A loaded model: graph after rewriting, weights, packed weights. Immutable, shared by any number of sessions.
class Model {
 public:
  /// Reads and rewrites a model; a saved one has been rewritten. Throws Error.
  static std::shared_ptr<const Model> load(const ModelSource& source, const ModelOptions& options);
  /// The same of a graph that was read already. Throws Error.
  static std::shared_ptr<const Model> make(LoadedModel loaded, const ModelOptions& options);

  bool declared_sizes_bind() const { return declared_sizes_bind_; }
  const ModelInfo& info() const { return info_; }
  const std::vector<PassCount>& pass_counts() const { return pass_counts_; }
  const std::shared_ptr<const Program>& program() const { return program_; }
  size_t mapped_bytes() const { return mapped_bytes_; }  ///< of weights as read

  /// Throws Error: kIo unless the files that the model was loaded from are, by size and time of modification, as they
  /// were; kInvalidArgument for a model that was not loaded from disk.
  void check_files() const;
  /// Writes the model, as the passes left it, to one file that loads without them. Throws Error.
  void save(const std::string& path) const;

 private:
  Model(LoadedModel loaded, std::vector<PassCount> counts, std::vector<std::string> left_out,
        std::shared_ptr<const Program> program, bool declared_sizes_bind)
      : info_(std::move(loaded.info)),
        files_(std::move(loaded.files)),
        mapped_bytes_(loaded.mapped_bytes),
        pass_counts_(std::move(counts)),
        left_out_(std::move(left_out)),
        program_(std::move(program)),
        declared_sizes_bind_(declared_sizes_bind) {}

  ModelInfo info_;
  std::vector<FileStamp> files_;
  size_t mapped_bytes_;
  std::vector<PassCount> pass_counts_;
  std::vector<std::string> left_out_;  ///< passes
  std::shared_ptr<const Program> program_;
  bool declared_sizes_bind_;
};

}  // namespace coracle
