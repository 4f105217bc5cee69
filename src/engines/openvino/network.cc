// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/network.h"

#include <algorithm>

namespace coracle::internal::openvino {
namespace {

size_t at(ValueId value) { return static_cast<size_t>(value); }

bool all_known(const Node& node, std::span<const Fact> facts) {
  return std::all_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId v) { return facts[at(v)].value != nullptr; });
}

void check_fact(const Graph& graph, ValueId value, std::span<const Fact> facts) {
  const Fact& fact = facts[at(value)];
  require(fact.known() && !fact.is_array, ErrorCode::kUnsupported, "value ", graph.value(value).name, " is ", fact,
          ", expected a tensor of known sizes");
}

void emit_node(const Graph& graph, const Node& node, std::span<const Fact> facts, std::vector<Wire>& wires,
               Network& network) {
  try {
    const Converter* converter = find_converter(node.op.schema());
    if (converter == nullptr) refuse("it has no converter");
    std::vector<const Fact*> in;
    std::vector<const Fact*> out;
    for (const ValueId v : node.inputs) check_fact(graph, v, facts), in.push_back(&facts[at(v)]);
    for (const ValueId v : node.outputs) out.push_back(&facts[at(v)]);
    const NodeFacts of_node(in, node.input_counts, out, node.output_counts);
    const std::string refusal = refusal_of(Question{graph, node, of_node}, *converter);
    if (!refusal.empty()) refuse(refusal);
    Emitter emitter(graph, node, of_node, wires, network);
    converter->emit(emitter);
  } catch (Error& e) {
    e.add_context(text("converting operator ", node.op.name(), " (", node.name, ") for OpenVINO"));
    throw;
  }
}

/// The wire of a result, under a name that nothing else has.
Wire own_wire(Network& network, Wire wire, const Shape& shape) {
  if (!network.ir.named(wire) && !network.ir.is_constant(wire)) return wire;
  const Ints as_it_is(static_cast<size_t>(shape.rank()), 0);
  const Wire wanted = network.ir.constant(Tensor::ints(as_it_is), Shape{shape.rank()});
  const DType dtype = network.ir.dtype(wire);
  const Wire both[] = {wire, wanted};
  return network.ir.layer("Reshape", "opset1", both, {{"special_zero", "true"}}, {&dtype, 1});
}

/// The sizes of input `i` as OpenVINO writes them.
std::string sizes_text(const Shape& shape, size_t i, std::span<const VaryingDim> varying) {
  std::string out;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d > 0) out.append(", ");
    const auto is_it = [&](const VaryingDim& v) { return v.input == static_cast<int32_t>(i) && v.dim == d; };
    const auto found = std::find_if(varying.begin(), varying.end(), is_it);
    if (found == varying.end()) {
      out.append(std::to_string(shape[d]));
    } else if (found->max == VaryingDim::kOpen) {
      out.append("?");
    } else {
      out.append(text(found->min, "..", found->max));
    }
  }
  return out;
}

}  // namespace

Network make_network(const Graph& graph, std::span<const Fact> facts, Integers integers, Openness open,
                     const RunContext& context) {
  Network network;
  network.context = &context;
  network.integers = integers;
  network.open = std::move(open);
  std::vector<Wire> wires(graph.value_count());
  network.ir.set_prefix("input");
  const std::vector<ValueId>& inputs = graph.inputs();
  network.inputs.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Fact& fact = facts[at(inputs[i])];
    if (fact.value != nullptr || graph.use_counts()[at(inputs[i])] == 0) continue;
    check_fact(graph, inputs[i], facts);
    if (!has_type(fact.dtype)) continue;  // who reads it refuses it, or does not look at it
    network.inputs[i] = text('v', static_cast<int64_t>(inputs[i]));
    wires[at(inputs[i])] =
        network.ir.parameter(network.inputs[i], fact.dtype, sizes_text(fact.shape, i, network.open.dims));
  }
  int64_t number = 0;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (all_known(node, facts)) continue;
    network.ir.set_prefix(text(node.op.name(), '_', number++));
    emit_node(graph, node, facts, wires, network);
  }
  network.ir.set_prefix("result");
  for (const ValueId v : graph.outputs()) {
    ResultSource source;
    const auto input = std::find(inputs.begin(), inputs.end(), v);
    if (facts[at(v)].value != nullptr) {
      source.elements = *facts[at(v)].value;
    } else if (input != inputs.end()) {
      source.input = static_cast<int>(input - inputs.begin());
    } else {
      require(wires[at(v)].known(), ErrorCode::kUnsupported, "the block's result ", graph.value(v).name,
              " is none that OpenVINO computes");
      source.name = text('o', network.results.size());
      network.ir.result(own_wire(network, wires[at(v)], facts[at(v)].shape), source.name);
    }
    network.results.push_back(std::move(source));
  }
  return network;
}

Openness find_openness(const Graph& graph, std::span<const std::vector<Fact>> examples,
                       std::span<const VaryingDim> dims, Integers integers, const RunContext& context) {
  const std::vector<VaryingDim> varying(dims.begin(), dims.end());
  Openness open{.dims = varying, .targets = {}};
  std::vector<Shape> first;
  for (const std::vector<Fact>& facts : examples) {
    const std::vector<Shape> targets =
        make_network(graph, facts, integers, {.dims = varying, .targets = {}}, context).targets;
    if (first.empty()) first = targets;
    open.targets.resize(first.size());
    for (size_t t = 0; t < std::min(first.size(), targets.size()); ++t) {
      for (int d = 0; d < std::min(first[t].rank(), targets[t].rank()); ++d) {
        if (first[t][d] != targets[t][d]) open.targets[t] |= 1U << static_cast<unsigned>(d);
      }
    }
  }
  std::optional<Network> before;
  for (const std::vector<Fact>& facts : examples) {
    Network network = make_network(graph, facts, integers, open, context);
    if (before) {
      require(same_program(*before, network), ErrorCode::kUnsupported,
              "the programs for its sizes differ: ", before->ir.difference(network.ir));
    }
    before = std::move(network);
  }
  return open;
}

bool same_program(const Network& a, const Network& b) {
  const auto same_result = [](const ResultSource& x, const ResultSource& y) {
    const auto bytes = [](const ResultSource& r) {
      return r.elements.empty_handle() ? std::span<const uint8_t>()
                                       : std::span(static_cast<const uint8_t*>(r.elements.raw()), r.elements.bytes());
    };
    return x.name == y.name && x.input == y.input && std::ranges::equal(bytes(x), bytes(y));
  };
  const auto same_check = [](const IndexCheck& x, const IndexCheck& y) {
    return x.input == y.input && x.least == y.least && x.most == y.most;
  };
  return a.inputs == b.inputs &&
         std::equal(a.results.begin(), a.results.end(), b.results.begin(), b.results.end(), same_result) &&
         std::equal(a.checks.begin(), a.checks.end(), b.checks.begin(), b.checks.end(), same_check) &&
         a.ir.same_as(b.ir);
}

std::string trial_refusal(const Graph& graph, const Node& node, const NodeFacts& facts, const Converter& converter) {
  Network network;
  std::vector<Wire> wires(graph.value_count());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Fact& fact = *facts.all_in()[i];
    if (fact.value == nullptr && has_type(fact.dtype))
      wires[at(node.inputs[i])] = network.ir.parameter("x", fact.dtype, list_text(fact.shape.dims()));
  }
  try {
    Emitter emitter(graph, node, facts, wires, network, true);
    converter.emit(emitter);
    return {};
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kOutOfMemory) throw;
    return e.text();
  }
}

const Tensor& Emitter::elements(int port, int i) const {
  const Fact& fact = facts_.in(port, i);
  if (fact.value == nullptr) {
    refuse("operand '", schema().inputs[static_cast<size_t>(port)].name,
           "' is known in a run only, it must be constant");
  }
  return *fact.value;
}

Ints Emitter::ints(int port, const Ints& missing) const { return has(port) ? elements(port).integers() : missing; }

double Emitter::number(int port, double missing) const {
  if (!has(port)) return missing;
  const Tensor& t = elements(port);
  return t.count() > 0 ? t.number(0) : missing;
}

Wire Emitter::in(int port, int i) {
  const ValueId v = node_.input(port, i);
  if (v == kNoValue) refuse("operand '", schema().inputs[static_cast<size_t>(port)].name, "' is missing");
  Wire& wire = wires_[at(v)];
  const Tensor* known = facts_.in(port, i).value.get();
  if (!wire.known() && known != nullptr) wire = constant(*known);
  if (!wire.known()) refuse("operand '", schema().inputs[static_cast<size_t>(port)].name, "' has not been computed");
  note_sizes(wire, facts_.shape(port, i));
  return wire;
}

Wire Emitter::in_as(int port, DType as, int i) {
  const Fact& fact = facts_.in(port, i);
  if (fact.dtype == as) return in(port, i);
  if (fact.value == nullptr) return convert(in(port, i), as);
  // Known numbers are brought to the type here: the types of constants are then those of values.
  Tensor t = Tensor::make(*network_.context, as, fact.shape);
  if (is_float(as)) {
    t.assign(std::span<const double>(fact.value->doubles()));
  } else {
    t.assign(std::span<const int64_t>(fact.value->integers()));
  }
  return constant(t);
}

void Emitter::set(Wire wire, int port, int i) {
  const ValueId v = node_.output(port, i);
  if (v != kNoValue) wires_[at(v)] = wire;
}

void Emitter::require_indices(int port, const char* name, int64_t least, int64_t most) {
  if (const Tensor* known = facts_.value(port)) {
    for (int64_t i = 0; i < known->count(); ++i) {
      const int64_t index = known->integer(i);
      require(index >= least && index <= most, ErrorCode::kUnsupported, "index ", index, " of ", name,
              " is out of range: expected ", least, " to ", most);
    }
    return;
  }
  if (trial_) return;
  const std::vector<ValueId>& inputs = graph_.inputs();
  const auto input = std::find(inputs.begin(), inputs.end(), node_.input(port));
  if (input == inputs.end()) refuse("indices that the block computes itself are not checked by OpenVINO");
  network_.checks.push_back({static_cast<size_t>(input - inputs.begin()), name, least, most});
}

}  // namespace coracle::internal::openvino
