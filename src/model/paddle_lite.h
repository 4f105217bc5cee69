// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/run_context.h"
#include "base/tensor.h"
#include "graph/graph.h"
#include "graph/model_info.h"
#include "graph/operator_set.h"
#include "model/programdesc.h"

/// Files that Paddle Lite's program `opt` writes (.nb): a program and its parameters. Versions 1 and 2 of the format
/// are FlatBuffers of Paddle Lite's schema.
namespace coracle::internal::paddle_lite {

struct Model {
  int format = 0;                ///< version of the file's format
  std::string producer;          ///< version of opt
  programdesc::Program program;  ///< views of its names point into what it holds as its file, and into `names`
  std::list<std::string> names;  ///< that the file does not have
  std::map<std::string, Tensor, std::less<>> parameters;
};

/// Whether the file begins as those of Paddle Lite, of any version.
bool is_model(const File& file);

/// Reads a file and writes its program with Paddle's operators. Memory is linear in the file's size. Throws Error
/// (kInvalidModel) where it is damaged, and kUnsupported that names its version where that is not known here.
Model read(const File& file);

/// What the model says about itself. Never fails for what cannot be run: see ModelInfo::unsupported.
ModelInfo describe(const Model& model, const OperatorSet& operators = OperatorSet());

/// As `import` of its program.
Graph import(const RunContext& context, const Model& model, const ModelInfo& info, std::vector<Tensor> parameters,
             const OperatorSet& operators = OperatorSet());

/// The tensors of `declared`, in that order.
std::vector<Tensor> parameters_of(const Model& model, const std::vector<TensorInfo>& declared);

}  // namespace coracle::internal::paddle_lite
