// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/shape.h"

namespace coracle::internal {

/// A tensor that the file declares: input, output or parameter.
struct TensorInfo {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;         ///< dimensions may be unknown
  int lod_levels = 0;  ///< levels of sequence offsets
  /// False for a parameter whose type and shape only its file has: Paddle's optimiser makes such ones.
  bool described = true;
};

/// The shape of an input as a graph may rely on it: sizes that a file declares do not bind it (Paddle runs whatever
/// fits, and old exports state the one they were traced with; sessions check them where they are told to), only the
/// number of dimensions does.
inline Shape free_sizes(const Shape& declared) {
  return declared.rank_known() ? Shape::filled(declared.rank(), Shape::kUnknown) : declared;
}

struct OperatorCount {
  std::string type;
  int64_t count = 0;
};

/// Something of the program that cannot be run here.
struct Unsupported {
  std::string type;  ///< operator type
  int64_t count = 0;
  std::string reason;
};

/// What a saved model says of its making.
struct SavingRecord {
  struct Rewrites {
    std::string pass;
    int count = 0;
  };

  std::string version;                ///< of Coracle that wrote it
  uint32_t major = 0;                 ///< of the format
  uint32_t minor = 0;                 ///< of the format
  uint32_t operators = 0;             ///< version of what they mean
  std::string source;                 ///< file of the program that it was made of, without folders
  std::string source_format;          ///< of that
  std::vector<Rewrites> rewrites;     ///< that were done, in order
  std::vector<std::string> left_out;  ///< passes that were not to be done, or "all"
  int64_t blocks = 0;                 ///< for engines
  int64_t compiled = 0;               ///< what engines have made of them
};

/// What a program says about itself; known without parameters and even when it cannot be run.
struct ModelInfo {
  std::string file;                      ///< the program's file
  std::vector<std::string> passed_over;  ///< other programs of the folder, without the folder
  std::string format;                    ///< "ProgramDesc", "PIR" or "Coracle"
  std::string producer;                  ///< version that wrote it as the file states it, empty if it does not
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  std::vector<TensorInfo> parameters;    ///< sorted bytewise by name, which is the order of a combined file
  std::vector<OperatorCount> operators;  ///< sorted by type; all blocks, without feed and fetch
  std::vector<Unsupported> unsupported;  ///< sorted by type
  std::optional<SavingRecord> saved;     ///< of a saved model
};

/// Throws Error (kUnsupported) that lists everything in info.unsupported, if there is any.
void require_supported(const ModelInfo& info);

/// Why there is no operator that Coracle has: this build leaves it out; `of_all` for a build with all operators.
const char* left_out_operator(const char* of_all);

}  // namespace coracle::internal
