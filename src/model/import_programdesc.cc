// SPDX-License-Identifier: Apache-2.0
#include "model/import_programdesc.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/printable.h"
#include "model/missing_operator.h"
#include "model/program_control.h"
#include "model/program_lowering.h"

namespace coracle::internal {

using programdesc::Block;
using programdesc::Operator;
using programdesc::Variable;

namespace {

/// "2.6.2" of 2006002.
std::string version_text(std::optional<int64_t> version) {
  if (!version || *version < 0) return {};
  if (*version == 0) return "development build";
  return text(*version / 1000000, ".", *version / 1000 % 1000, ".", *version % 1000);
}

TensorInfo info_of_variable(std::string_view name, const Variable* v) {
  TensorInfo info{.name = std::string(name), .shape = Shape::unknown_rank()};
  if (v == nullptr) return info;
  info.dtype = v->dtype.value_or(info.dtype);
  info.shape = programdesc::shape_of(v->dims);
  info.lod_levels = static_cast<int>(std::clamp<int64_t>(v->lod_level, 0, 16));
  return info;
}

/// Why an operator cannot be run, or an empty text.
std::string refusal_of(const Operator& op, const OperatorSet& operators) {
  if (is_handled_by_reader(op.type) || operators.find_legacy(op.type) != nullptr) return {};
  if (op.type == "py_func") return "it calls Python code";
  return missing_operator(op.type);
}

/// Inputs or outputs in the order of the attribute `col`.
class Columns {
 public:
  void add(const Operator& op, TensorInfo info) {
    const int64_t col = op.attributes.get<int64_t>("col", static_cast<int64_t>(columns_.size()));
    columns_.emplace_back(col, std::move(info));
  }
  std::vector<TensorInfo> sorted() {
    std::stable_sort(columns_.begin(), columns_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<TensorInfo> infos;
    for (auto& [col, info] : columns_) infos.push_back(std::move(info));
    return infos;
  }

 private:
  std::vector<std::pair<int64_t, TensorInfo>> columns_;
};

void describe_parameters(const programdesc::Program& program, ModelInfo& info,
                         std::map<std::string, Unsupported>& unsupported) {
  std::map<std::string_view, TensorInfo> parameters;
  for (const Variable& v : program.blocks.front().variables) {
    if (!v.is_stored()) continue;
    if ((v.described && !v.dtype) || v.type != programdesc::kDenseTensor) {
      Unsupported& entry = unsupported["(parameter)"];
      ++entry.count;
      entry.reason = text("the parameter ", in_quotes(v.name), " is not a tensor of numbers");
    }
    TensorInfo parameter = info_of_variable(v.name, &v);
    parameter.described = v.described;
    if (!v.described) parameter.shape = Shape::unknown_rank();
    parameters.insert_or_assign(v.name, std::move(parameter));
  }
  for (auto& [name, parameter] : parameters) info.parameters.push_back(std::move(parameter));
}

}  // namespace

ModelInfo describe(const programdesc::Program& program, const OperatorSet& operators) {
  ModelInfo info;
  info.file = program.file.name;
  info.format = "ProgramDesc";
  info.producer = version_text(program.version);
  const ProgramBlocks blocks(program, operators);
  std::map<std::string, int64_t> counts;
  std::map<std::string, Unsupported> unsupported;
  Columns inputs;
  Columns outputs;
  for (size_t b = 0; b < program.blocks.size(); ++b) {
    for (const Operator& op : program.blocks[b].operators) {
      const std::string_view out = single_variable(op.outputs, "Out");
      if (op.type == "feed") {
        const Variable* v = blocks.find(b, out);
        TensorInfo input = info_of_variable(out, v);
        if (blocks.is_written_inside(out)) input.shape = Shape::unknown_rank();
        if (b == 0) inputs.add(op, std::move(input));
        if (v == nullptr || v->dtype) continue;
        Unsupported& entry = unsupported["feed"];
        ++entry.count;
        entry.reason = text("the input ", in_quotes(out), " is not a tensor of numbers");
      } else if (is_fetch(op.type)) {
        const std::string_view x = single_variable(op.inputs, "X");
        if (b == 0) outputs.add(op, info_of_variable(x, blocks.find(b, x)));
      } else {
        const std::string type(op.type);
        ++counts[type];
        const std::string reason = refusal_of(op, operators);
        if (reason.empty()) continue;
        Unsupported& entry = unsupported[type];
        ++entry.count;
        entry.reason = reason;
      }
    }
  }
  info.inputs = inputs.sorted();
  info.outputs = outputs.sorted();
  describe_parameters(program, info, unsupported);
  for (auto& [type, count] : counts) info.operators.push_back({type, count});
  for (auto& [type, entry] : unsupported) {
    entry.type = type;
    info.unsupported.push_back(std::move(entry));
  }
  return info;
}

Graph import(const RunContext& context, const programdesc::Program& program, const ModelInfo& info,
             std::vector<Tensor> parameters, const OperatorSet& operators) {
  const ProgramBlocks blocks(program, operators);
  Graph graph;
  const WorkOnGraph work(graph, context);
  ProgramScope scope(graph, 0, nullptr);
  for (const TensorInfo& input : info.inputs) {
    scope.bind(input.name, graph.add_input(input.name, Fact(input.dtype, free_sizes(input.shape))));
  }
  // A parameter becomes a value when something reads it.
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string_view name = info.parameters[i].name;
    scope.bind_later(name, nullptr, [&scope, &graph, &parameters, name, i] {
      scope.bind(name, graph.add_constant(std::move(parameters[i]), std::string(name)));
    });
  }
  ProgramImporter importer(blocks);
  importer.import_block(scope, /*depth=*/0);
  for (const auto& [name, value] : importer.outputs()) graph.add_output(value, name);
  return graph;
}

}  // namespace coracle::internal
