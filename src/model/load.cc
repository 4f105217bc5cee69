// SPDX-License-Identifier: Apache-2.0
#include "model/load.h"

#include "base/error.h"
#include "base/printable.h"
#include "model/foreign.h"
#include "model/import_pir.h"
#include "model/import_programdesc.h"
#include "model/paddle_lite.h"
#include "model/params.h"
#include "saved/read.h"

namespace coracle::internal {
namespace {

/// What a program says about itself, as callers see it: a file's names may hold any bytes.
ModelInfo printable_info(ModelInfo info) {
  for (auto* list : {&info.inputs, &info.outputs, &info.parameters}) {
    for (TensorInfo& t : *list) t.name = printable(t.name);
  }
  for (OperatorCount& o : info.operators) o.type = printable(o.type);
  for (Unsupported& u : info.unsupported) u.type = printable(u.type);
  return info;
}

/// What `use` makes of the program, which is read as what its file says that it is. Another file's error says what that
/// is.
template <class F>
auto with_program(const RunContext& context, const ModelFiles& files, const F& use) {
  if (files.paddle_lite) return use(paddle_lite::read(*files.paddle_lite));
  const auto parsed = [&](auto parse) {
    try {
      return parse(files.program);
    } catch (const Error& error) {
      fail_reading(File(files.program), error);
    }
  };
  if (files.is_pir) return use(parsed([](const FileBytes& file) { return pir::parse(file); }));
  return use(parsed([&](const FileBytes& file) { return programdesc::parse(context, file); }));
}

template <class Program>
ModelInfo info_from(const Program& program, const ModelFiles& files, const OperatorSet& operators) {
  ModelInfo info = describe(program, operators);
  info.passed_over = files.passed_over;
  return info;
}

Parameters read_tensors(const paddle_lite::Model& model, const ModelFiles& /*files*/,
                        const std::vector<TensorInfo>& declared) {
  Parameters parameters;
  parameters.tensors = paddle_lite::parameters_of(model, declared);
  return parameters;
}

template <class Program>
Parameters read_tensors(const Program& /*program*/, const ModelFiles& files, const std::vector<TensorInfo>& declared) {
  return read_parameters(files, declared);
}

template <class Program>
LoadedModel load_program(const RunContext& context, const Program& program, const ModelFiles& files,
                         const OperatorSet& operators) {
  LoadedModel model;
  model.info = info_from(program, files, operators);
  require_supported(model.info);
  Parameters parameters = read_tensors(program, files, model.info.parameters);
  model.files = std::move(parameters.files);
  if (files.program_stamp) model.files.push_back(*files.program_stamp);
  model.mapped_bytes = parameters.mapped_bytes;
  for (size_t i = 0; i < parameters.tensors.size(); ++i) {
    TensorInfo& info = model.info.parameters[i];
    if (info.described) continue;
    info.dtype = parameters.tensors[i].dtype();
    info.shape = parameters.tensors[i].shape();
  }
  model.graph = import(context, program, model.info, std::move(parameters.tensors), operators);
  model.info = printable_info(std::move(model.info));
  return model;
}

}  // namespace

LoadedModel load_model(const RunContext& context, const ModelSource& source, const LoadOptions& options) {
  ModelFiles files = find_model_files({within(context, source.files), source.model, source.params});
  const OperatorSet operators(options.operators);
  files.weights = options.weights;
  files.outside_links = options.outside_links;
  if (files.saved) {
    files.saved->map_as(options.weights);
    LoadedModel model = load_saved_model(*files.saved, options.check_weights, operators);
    model.info.passed_over = std::move(files.passed_over);
    return model;
  }
  return with_program(context, files,
                      [&](const auto& program) { return load_program(context, program, files, operators); });
}

ModelInfo inspect_model(const ModelSource& source) {
  const ModelFiles files = find_model_files(source);
  if (files.saved) {
    ModelInfo info = inspect_saved_model(*files.saved);
    info.passed_over = files.passed_over;
    return info;
  }
  return with_program(kNoRun, files,
                      [&](const auto& program) { return printable_info(info_from(program, files, OperatorSet())); });
}

}  // namespace coracle::internal
