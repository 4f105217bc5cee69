// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "blocks/cut.h"
#include "blocks/engine_blocks.h"
#include "loading/options.h"
#include "run/program.h"

namespace coracle::internal {

/// A loaded model: graph after rewriting, weights, packed weights. Immutable, shared by any number of sessions.
class Model : public RunnableModel {
 public:
  /// Reads and rewrites a model; a saved one has been rewritten. Throws Error.
  static std::shared_ptr<const Model> load(const ModelSource& source, const ModelOptions& options);
  /// The same of a graph that was read already. Throws Error.
  static std::shared_ptr<const Model> make(LoadedModel loaded, const ModelOptions& options,
                                           const RunContext& context = kNoRun);

  /// What it was loaded with.
  const ModelOptions& options() const { return options_; }
  const std::vector<PassCount>& pass_counts() const { return pass_counts_; }
  /// Which engine runs which node, if it uses any.
  const CutReport& engine_report() const { return engine_report_; }
  /// What engines have compiled of its blocks, for all sessions.
  EngineBlocks& engine_blocks() const { return *engine_blocks_; }
  size_t mapped_bytes() const { return mapped_bytes_; }  ///< of weights as read

  /// Throws Error: kIo unless the files that the model was loaded from are, by size and time of modification, as they
  /// were; kInvalidArgument for a model that was not loaded from disk.
  void check_files() const;
  /// Writes the model, as the passes left it, to one file that loads without them, with the blocks that it was cut into
  /// for engines. `with_packed`: and the packed weights that there are now, of its own file and of what sessions have
  /// planned; of a model with blocks instead of these what engines have compiled of them. Throws Error.
  void save(const std::string& path, bool with_packed = false) const;

 private:
  /// What loading makes, in order.
  struct Parts {
    ModelOptions options;  // without what is the caller's while loading
    ModelInfo info;
    std::vector<FileStamp> files;
    size_t mapped_bytes = 0;
    std::vector<PassCount> pass_counts = {};
    std::shared_ptr<const Graph> uncut = {};  // what files hold, where engines run parts of it
    CutReport engine_report = {};
    std::shared_ptr<EngineBlocks> engine_blocks = {};
    std::shared_ptr<const Program> program = {};
  };
  static Parts parts_of(LoadedModel loaded, const ModelOptions& options, const RunContext& context);
  explicit Model(Parts parts);
  SavedBlocks saved_blocks(bool with_compiled) const;

  ModelOptions options_;
  std::vector<FileStamp> files_;
  size_t mapped_bytes_;
  std::vector<PassCount> pass_counts_;
  std::shared_ptr<const Graph> uncut_;
  CutReport engine_report_;
  std::shared_ptr<EngineBlocks> engine_blocks_;
};

}  // namespace coracle::internal
