// SPDX-License-Identifier: Apache-2.0
#include "model/import_pir.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "model/missing_operator.h"
#include "model/pir_lowering.h"
#include "model/programdesc.h"
#include "model/regions.h"
#include "ops/control/while.h"

namespace coracle::internal {

using pir::Definition;
using pir::Operation;
using pir::Region;

namespace {

constexpr std::array<std::string_view, 12> kHandled = {"builtin.combine",
                                                       "builtin.split",
                                                       "builtin.slice",
                                                       "builtin.constant",
                                                       "builtin.shadow_output",
                                                       "builtin.set_parameter",
                                                       "builtin.get_parameter",
                                                       "cf.yield",
                                                       "pd_op.data",
                                                       "pd_op.feed",
                                                       "pd_op.if",
                                                       "pd_op.while"};

std::string full_name(const Operation& op) { return text(op.dialect, ".", op.name); }

bool is_fetch_operation(const Operation& op) {
  return (op.dialect == "pd_op" && op.name == "fetch") || (op.dialect == "builtin" && op.name == "shadow_output");
}

bool is_input(const Operation& op) { return op.dialect == "pd_op" && (op.name == "data" || op.name == "feed"); }

bool is_handled(const Operation& op) {
  return is_fetch_operation(op) || std::find(kHandled.begin(), kHandled.end(), full_name(op)) != kHandled.end();
}

/// Why an operation cannot be run, or an empty text.
std::string refusal(const Operation& op, const OperatorSet& operators) {
  if (is_handled(op) || operators.find_custom(op.name) != nullptr) return {};
  if (op.dialect == "custom_op") return custom_operator();
  if (op.dialect != "pd_op") return text("operators of the dialect ", in_quotes(op.dialect), " do not exist here");
  if (find_op(op.name) != nullptr) return {};
  return missing_operator(op.name);
}

TensorInfo info_of_result(std::string name, const pir::Type& type) {
  return {.name = std::move(name),
          .dtype = type.dtype.value_or(DType::kFloat32),
          .shape = programdesc::shape_of(type.dims),
          .lod_levels = type.lod_levels};
}

std::string fetch_name(const Operation& op) {
  const auto name = op.attributes.get<std::string>("name");
  return name.empty() ? op.attributes.get<std::string>("output_name") : name;
}

/// Collects counts and what cannot be run, regions included.
class Survey {
 public:
  explicit Survey(const OperatorSet& operators) : operators_(operators) {}

  void visit(const Region& region, bool nested) {
    for (const Operation& op : region.operations) {
      for (int64_t id : op.operands) used_.insert(id);
      for (const Region& r : op.regions) visit(r, true);
      if (!nested && is_input(op)) {
        inputs_.push_back(&op);
        if (op.results.size() != 1 || !op.results.front().type.dtype)
          refuse("data", "an input is not a tensor of numbers");
      } else if (!nested && is_fetch_operation(op)) {
        outputs_.push_back(&op);
      } else {
        ++counts_[op.name];
        const std::string reason = refusal(op, operators_);
        if (!reason.empty()) refuse(full_name(op), reason);
      }
    }
  }

  void refuse(const std::string& type, const std::string& reason) {
    Unsupported& entry = unsupported_[type];
    entry.type = type;
    ++entry.count;
    entry.reason = reason;
  }

  const std::unordered_set<int64_t>& used() const { return used_; }

  /// Inputs and outputs in the order of `col` where they have one, else of the file.
  static std::vector<const Operation*> by_column(std::vector<const Operation*> operations) {
    std::stable_sort(operations.begin(), operations.end(), [](const Operation* a, const Operation* b) {
      return a->attributes.get<int64_t>("col") < b->attributes.get<int64_t>("col");
    });
    return operations;
  }
  std::vector<const Operation*> inputs() const { return by_column(inputs_); }
  std::vector<const Operation*> outputs() const { return by_column(outputs_); }

  void fill(ModelInfo& info) const {
    for (const auto& [type, count] : counts_) info.operators.push_back({type, count});
    for (const auto& [type, entry] : unsupported_) info.unsupported.push_back(entry);
  }

 private:
  const OperatorSet& operators_;
  std::unordered_set<int64_t> used_;
  std::vector<const Operation*> inputs_;
  std::vector<const Operation*> outputs_;
  std::map<std::string, int64_t> counts_;
  std::map<std::string, Unsupported> unsupported_;
};

/// The value of a tensor array; a list of tensors has none of its own.
ValueId one_value(PirScope& scope, int64_t id) {
  const PirValue value = scope.find(id);
  require(value.values.size() == 1, "value ", id, " stands for ", counted(value.values.size(), "tensor"),
          ", expected an array");
  return value.values.front();
}

/// Imports operations one by one, `if` and `while` as nodes with closed regions.
class PirImporter {
 public:
  PirImporter(const pir::Program& program, const std::unordered_set<int64_t>& used, const OperatorSet& operators)
      : program_(program), used_(used), operators_(operators) {}

  /// Returns the operands of the region's yield.
  std::vector<ValueId> import_region(PirScope& scope, const Region& region, int depth) {
    require(depth <= kMaxRegionDepth, ErrorCode::kUnsupported, "loops and branches are nested deeper than ",
            counted(kMaxRegionDepth, "level"));
    std::vector<ValueId> yields;
    for (size_t i = 0; i < region.operations.size(); ++i) {
      const Operation& op = region.operations[i];
      try {
        if (op.dialect == "cf" && op.name == "yield") {
          yields = operands(scope, op);
        } else {
          import_operation(scope, op, depth);
        }
      } catch (Error& e) {
        e.add_context(text("importing operation ", i, " ", in_quotes(op.name), depth == 0 ? "" : " of a region", " of ",
                           in_quotes(program_.file)));
        throw;
      }
    }
    return yields;
  }

  ValueId output_of(PirScope& scope, const Operation& op) {
    const std::vector<ValueId> values = operands(scope, op);
    require(values.size() == 1, "the output ", in_quotes(fetch_name(op)), " is not one value");
    return values.front();
  }

 private:
  static std::vector<ValueId> operands(PirScope& scope, const Operation& op) {
    std::vector<ValueId> values;
    for (int64_t id : op.operands) {
      const PirValue value = scope.find(id);
      require(!value.is_list && value.values.size() == 1, "operand ", id, " is not one value");
      values.push_back(value.values.front());
    }
    return values;
  }

  void import_operation(PirScope& scope, const Operation& op, int depth) {
    if (is_input(op) || is_fetch_operation(op)) return;
    const ScopeOfNewNodes name_scope(scope.graph(), op.scope);
    if (op.dialect == "builtin") return import_builtin(scope, op);
    const std::string name = text(op.name, "_", operations_++);
    if (is_unread_pop(op)) return;
    if (op.name == "if") return import_if(scope, op, name, depth);
    if (op.name == "while") return import_while(scope, op, name, depth);
    PirLowering(scope, op, used_, operators_, name).lower();
    name_results(scope, op, name);
    if (changes_array(op)) scope.bind(op.operands.front(), scope.find(op.results.front().id));
  }

  /// Names what an operation makes after it, as the file has no names for values: "topk_7", then "topk_7.1"; those of
  /// a list count one by one. A value that it passes on keeps its name.
  static void name_results(PirScope& scope, const Operation& op, const std::string& name) {
    size_t first = 0;  // of the result, among all elements of the results
    for (const pir::Definition& result : op.results) {
      const std::span<const ValueId> values = scope.bound(result.id);
      for (size_t i = 0; i < values.size(); ++i) {
        if (values[i] == kNoValue || !scope.graph().value(values[i]).name.empty()) continue;
        scope.graph().set_name(values[i], first + i == 0 ? name : text(name, ".", first + i));
      }
      first += result.type.kind == pir::Type::Kind::kList ? result.type.elements.size() : 1;
    }
  }

  /// A pop of which nothing reads a result. Paddle's predictor removes it as dead code before it runs a program: the
  /// array keeps the element.
  bool is_unread_pop(const Operation& op) const {
    return op.name == "array_pop" && std::none_of(op.results.begin(), op.results.end(),
                                                  [&](const pir::Definition& r) { return used_.contains(r.id); });
  }

  /// Operations that change a tensor array in place: from there on its id stands for the new array.
  bool changes_array(const Operation& op) const {
    if (op.operands.empty() || op.results.empty()) return false;
    return op.name == "array_write" || (op.name == "array_pop" && !is_unread_pop(op));
  }

  /// Adds the ids of arrays that `region` changes and that are not defined in it; `defined` grows by those that are.
  void find_changed(const Region& region, std::unordered_set<int64_t>& defined, std::vector<int64_t>& changed) const {
    for (const pir::Definition& argument : region.arguments) defined.insert(argument.id);
    for (const Operation& op : region.operations) {
      for (const Region& nested : op.regions) find_changed(nested, defined, changed);
      const bool outside = changes_array(op) && !defined.contains(op.operands.front());
      if (outside && std::find(changed.begin(), changed.end(), op.operands.front()) == changed.end()) {
        changed.push_back(op.operands.front());
      }
      for (const pir::Definition& result : op.results) defined.insert(result.id);
    }
  }

  /// The arrays around an operation that its regions change: further results of it.
  std::vector<int64_t> changed_arrays(const Operation& op) const {
    std::unordered_set<int64_t> defined;
    std::vector<int64_t> changed;
    for (const Region& region : op.regions) find_changed(region, defined, changed);
    return changed;
  }

  static void import_builtin(PirScope& scope, const Operation& op) {
    if (op.name == "combine") {
      PirValue list{.values = operands(scope, op), .is_list = true};
      require(op.results.size() == 1, "combine has ", counted(op.results.size(), "result"), ", expected 1");
      scope.bind(op.results.front().id, std::move(list));
    } else if (op.name == "split" || op.name == "slice") {
      require(op.operands.size() == 1, "it has ", counted(op.operands.size(), "operand"), ", expected 1");
      const PirValue list = scope.find(op.operands.front());
      const int64_t first = op.name == "slice" ? op.attributes.get<int64_t>("index") : 0;
      for (size_t i = 0; i < op.results.size(); ++i) {
        const size_t at = static_cast<size_t>(first) + i;
        require(first >= 0 && at < list.values.size(), "element ", at, " of a list of ", list.values.size());
        scope.bind(op.results[i].id, list.values[at]);
      }
    } else if (op.name == "constant") {
      const AttributeValue* value = op.attributes.find("value");
      require(value != nullptr && op.results.size() == 1, ErrorCode::kUnsupported, "a constant without a plain value");
      const Fact declared = declared_fact(op.results.front().type);
      Tensor tensor = tensor_of(*value, declared.dtype);
      if (declared.known() && declared.shape.count() == tensor.count()) tensor = tensor.reshaped(declared.shape);
      scope.bind(op.results.front().id, scope.graph().add_constant(std::move(tensor)));
    }
  }

  void import_if(PirScope& scope, const Operation& op, const std::string& name, int depth) {
    const std::vector<ValueId> condition = operands(scope, op);
    require(condition.size() == 1 && op.regions.size() == 2, "an if needs one operand and two regions, given ",
            condition.size(), " and ", op.regions.size());
    const std::vector<int64_t> changed = changed_arrays(op);
    std::vector<ClosedRegion> regions;
    for (const Region& region : op.regions) {
      const int64_t first_operation = operations_;
      regions.push_back(import_branch(branch_retries_, [&](bool blind) {
        operations_ = first_operation;
        ClosedRegion closed{.graph = std::make_shared<Graph>(), .captured = {}};
        PirScope inner(*closed.graph, &scope);
        if (blind) inner.know_nothing();
        const std::vector<ValueId> yields = import_region(inner, region, depth + 1);
        require(yields.size() == op.results.size(), "a region yields ", counted(yields.size(), "value"), ", expected ",
                op.results.size());
        for (ValueId v : yields) closed.graph->add_output(v, "");
        for (int64_t id : changed) closed.graph->add_output(one_value(inner, id), "");
        closed.captured = inner.captured();
        return closed;
      }));
    }
    std::vector<RegionOutputs> results;
    for (size_t i = 0; i < op.results.size() + changed.size(); ++i) results.push_back({.yes = {i}, .no = {i}});
    const NodeId node = add_if(scope.graph(), name, condition.front(), regions[0], regions[1], results);
    bind_results(scope, op, node, changed);
    name_results(scope, op, name);
  }

  void import_while(PirScope& scope, const Operation& op, const std::string& name, int depth) {
    std::vector<ValueId> initial = operands(scope, op);
    require(!initial.empty() && op.regions.size() == 1, "a while needs a condition and one region");
    const ValueId condition = initial.front();
    initial.erase(initial.begin());
    const Region& body = op.regions.front();
    require(body.arguments.size() == initial.size() && op.results.size() == initial.size(), "a while of ",
            counted(initial.size(), "value"), " has ", body.arguments.size(), " block arguments and ",
            counted(op.results.size(), "result"));
    const std::vector<int64_t> changed = changed_arrays(op);
    for (int64_t id : changed) initial.push_back(one_value(scope, id));
    std::vector<ValueId> captured;
    const int64_t first_operation = operations_;
    const auto import = [&](std::span<const Fact> types) {
      operations_ = first_operation;
      auto region = std::make_shared<Graph>();
      PirScope inner(*region, &scope);
      region->add_input(scope.graph().value(condition).name, types[0]);
      for (size_t i = 0; i < initial.size(); ++i) {
        const int64_t id = i < body.arguments.size() ? body.arguments[i].id : changed[i - body.arguments.size()];
        inner.bind(id, region->add_input(scope.graph().value(initial[i]).name, types[i + 1]));
      }
      std::vector<ValueId> yields = import_region(inner, body, depth + 1);
      for (int64_t id : changed) yields.push_back(one_value(inner, id));
      require(yields.size() == initial.size() + 1, "the region yields ", counted(yields.size(), "value"), ", expected ",
              initial.size() + 1);
      for (ValueId v : yields) region->add_output(v, "");
      captured = inner.captured();
      return region;
    };
    // What an earlier import within an outer loop found holds again: types there have only become wider.
    std::vector<Fact>& types = loop_types_[&op];
    const bool again = !types.empty();
    types.resize(initial.size() + 1);
    for (size_t i = 0; i < types.size(); ++i) {
      const Fact& before = scope.graph().fact(i == 0 ? condition : initial[i - 1]);
      types[i] = joined(before, again ? types[i] : before);
    }
    const std::shared_ptr<Graph> region = import_loop(types, import);
    const PortCounts results{static_cast<int>(initial.size())};
    const NodeId loop = scope.graph().add_node(While{}, {{condition}, initial, captured}, results, name, {region});
    widen_region(scope.graph(), loop);
    bind_results(scope, op, loop, changed);
    name_results(scope, op, name);
  }

  /// The results of an `if` or `while`, then the arrays it changes.
  static void bind_results(PirScope& scope, const Operation& op, NodeId node, const std::vector<int64_t>& changed) {
    const std::vector<ValueId>& outputs = scope.graph().node(node).outputs;
    for (size_t i = 0; i < op.results.size(); ++i) scope.bind(op.results[i].id, outputs[i]);
    for (size_t i = 0; i < changed.size(); ++i) scope.bind(changed[i], outputs[op.results.size() + i]);
  }

  const pir::Program& program_;
  const std::unordered_set<int64_t>& used_;
  const OperatorSet& operators_;
  int64_t operations_ = 0;
  int branch_retries_ = 0;
  std::unordered_map<const Operation*, std::vector<Fact>> loop_types_;  ///< as of the last import of a loop
};

/// Parameters stored in the file, sorted as their records are.
std::vector<const pir::Parameter*> stored(const pir::Program& program) {
  std::vector<const pir::Parameter*> parameters;
  for (const pir::Parameter& p : program.parameters) {
    if (p.persistable) parameters.push_back(&p);
  }
  std::sort(parameters.begin(), parameters.end(),
            [](const pir::Parameter* a, const pir::Parameter* b) { return a->name < b->name; });
  return parameters;
}

}  // namespace

ModelInfo describe(const pir::Program& program, const OperatorSet& operators) {
  ModelInfo info;
  info.file = program.file;
  info.format = "PIR";
  info.producer = program.version == 0 ? "development build" : text("PIR version ", program.version);
  Survey survey(operators);
  survey.visit(program.main, false);
  for (const Operation* op : survey.inputs()) {
    const pir::Type type = op->results.empty() ? pir::Type() : op->results.front().type;
    info.inputs.push_back(info_of_result(op->attributes.get<std::string>("name"), type));
  }
  for (const Operation* op : survey.outputs()) {
    const pir::Type type = op->results.empty() ? pir::Type() : op->results.front().type;
    info.outputs.push_back(info_of_result(fetch_name(*op), type));
  }
  for (const pir::Parameter* p : stored(program)) {
    if (p->value.type.kind != pir::Type::Kind::kTensor || !p->value.type.dtype) {
      survey.refuse("(parameter)", text("the parameter ", in_quotes(p->name), " is not a tensor of numbers"));
    }
    info.parameters.push_back(info_of_result(p->name, p->value.type));
  }
  survey.fill(info);
  return info;
}

Graph import(const RunContext& context, const pir::Program& program, const ModelInfo& info,
             std::vector<Tensor> parameters, const OperatorSet& operators) {
  Graph graph;
  const WorkOnGraph work(graph, context);
  PirScope scope(graph, nullptr);
  Survey survey(operators);
  survey.visit(program.main, false);
  const std::vector<const Operation*> inputs = survey.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorInfo& input = info.inputs[i];
    require(!inputs[i]->results.empty(), "input ", in_quotes(input.name), " has no value");
    scope.bind(inputs[i]->results.front().id, graph.add_input(input.name, Fact(input.dtype, free_sizes(input.shape))));
  }
  const std::vector<const pir::Parameter*> sorted = stored(program);
  for (size_t i = 0; i < parameters.size(); ++i) {
    scope.bind_parameter(sorted[i]->value.id, sorted[i]->name, std::move(parameters[i]));
  }
  // What a program declares as a parameter without storing it (the state of an rnn's dropout) has no content: zeros.
  for (const pir::Parameter& p : program.parameters) {
    const pir::Type& type = p.value.type;
    const Shape shape(type.dims);
    if (p.persistable || type.kind != pir::Type::Kind::kTensor || !type.dtype || !shape.known()) continue;
    scope.bind_zeros(p.value.id, p.name, Fact(*type.dtype, shape));
  }
  PirImporter importer(program, survey.used(), operators);
  importer.import_region(scope, program.main, /*depth=*/0);
  for (const Operation* op : survey.outputs()) graph.add_output(importer.output_of(scope, *op), fetch_name(*op));
  return graph;
}

}  // namespace coracle::internal
