// SPDX-License-Identifier: Apache-2.0
#include "saved/read.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "graph/patch.h"
#include "saved/read_blocks.h"
#include "saved/read_packed.h"

namespace coracle::internal {
namespace {

using saved::shape_of;
namespace tables = saved::tables;

/// The weights of a file: where they are, or read at once.
class Elements {
 public:
  Elements(const File& file, const saved::Structure& structure, bool check)
      : size_(structure.weights.bytes), check_(check), at_(saved::read_section(file, structure.weights, "weights")) {}

  Tensor tensor(const tables::Constant& c) {
    const std::string name = in_quotes(c.name());
    const DType dtype = saved::dtype_of(c.type());
    const Shape shape = shape_of(c.dims());
    require(dtype != DType::kUnknown && shape.known(), "its constant ", name, " has no type");
    const auto bytes = static_cast<uint64_t>(shape.count()) * size_of(dtype);
    require(bytes == c.bytes() && c.offset() <= size_ && bytes <= size_ - c.offset() &&
                c.offset() % saved::kTensorAlignment == 0,
            "its constant ", name, " (", Fact(dtype, shape), ") cannot have ", counted(c.bytes(), "byte"),
            " from byte ", c.offset(), " of ", size_, " on");
    const std::span data(at_.data + c.offset(), static_cast<size_t>(bytes));
    if (check_) check(data, c, name);
    if (dtype == DType::kBool) {
      const auto wrong = std::find_if(data.begin(), data.end(), [](uint8_t b) { return b > 1; });
      require(wrong == data.end(), "its constant ", name, " of type bool has the byte ",
              wrong == data.end() ? 0 : *wrong, ", expected 0 or 1");
    }
    Tensor tensor = bytes == 0 ? Tensor::make(dtype, shape) : placed(dtype, shape, data);
    if (c.levels().size() != 0) tensor.set_lod(lod(c.levels()));
    return tensor;
  }

  size_t mapped_bytes() const { return mapped_bytes_; }

 private:
  static void check(std::span<const uint8_t> bytes, const tables::Constant& c, const std::string& name) {
    const uint32_t found = bytes.empty() ? 0 : saved::checksum(bytes);
    require(found == c.checksum(), "the weights of its constant ", name, " are damaged: their checksum is ", found,
            ", expected ", c.checksum());
  }

  Tensor placed(DType dtype, const Shape& shape, std::span<const uint8_t> bytes) {
    // Memory of the caller may begin anywhere.
    const size_t alignment = is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype);
    if (reinterpret_cast<uintptr_t>(bytes.data()) % alignment != 0) {
      return Tensor::borrow(dtype, shape, bytes.data()).clone();
    }
    if (at_.mapped) mapped_bytes_ += bytes.size();
    return Tensor::share(dtype, shape, at_.owner, bytes.data());
  }

  static Lod lod(const saved::FlatList<tables::Level>& levels) {
    Lod lod;
    for (uint32_t i = 0; i < levels.size(); ++i) {
      std::vector<size_t>& offsets = lod.emplace_back();
      const std::vector<uint64_t> all = levels[i].offsets().all();
      offsets.assign(all.begin(), all.end());
    }
    return lod;
  }

  const uint64_t size_;
  const bool check_;
  const saved::SectionBytes at_;
  size_t mapped_bytes_ = 0;
};

Strings strings_of(const saved::FlatList<std::string_view>& list) {
  Strings all;
  for (uint32_t i = 0; i < list.size(); ++i) all.emplace_back(list[i]);
  return all;
}

AttributeValue value_of(const tables::Attribute& a) {
  switch (a.kind()) {
    case tables::AttributeKind::kInteger: return a.integer();
    case tables::AttributeKind::kReal: return a.real();
    case tables::AttributeKind::kText: return std::string(a.text());
    case tables::AttributeKind::kIntegers: return a.integers().all();
    case tables::AttributeKind::kReals: return a.reals().all();
    case tables::AttributeKind::kTexts: return strings_of(a.texts());
  }
  fail(ErrorCode::kInvalidModel, "its attribute ", in_quotes(a.name()), " is of kind ", static_cast<int>(a.kind()));
}

/// Counts the attributes of an operator that a map has.
class Known : public AttributeVisitor {
 public:
  explicit Known(const AttributeMap& map) : map_(map) {}
  size_t count = 0;

 protected:
  void visit(std::string_view name, std::string_view /*legacy*/, AttributeRef /*field*/) override {
    count += map_.has(name) ? 1 : 0;
  }

 private:
  const AttributeMap& map_;
};

Op op_of(const tables::Node& node, const OperatorSet& operators) {
  const OpSchema* schema = operators.find(node.operator_());
  require(schema != nullptr && schema->infer != nullptr, ErrorCode::kUnsupported, "there is no operator ",
          in_quotes(node.operator_()));
  AttributeMap map;
  for (uint32_t i = 0; i < node.attributes().size(); ++i) {
    const tables::Attribute a = node.attributes()[i];
    map.set(std::string(a.name()), value_of(a));
  }
  std::shared_ptr<void> attributes = schema->make(nullptr);
  AttributeReader reader(map, /*legacy=*/false);
  schema->visit(attributes.get(), reader);
  Known known(map);
  schema->visit(attributes.get(), known);
  // One more would say what this version does not understand.
  require(known.count == map.all().size() && map.all().size() == node.attributes().size(), ErrorCode::kUnsupported,
          "operator ", schema->name, " has ", counted(node.attributes().size(), "attribute"), " in the file, of which ",
          known.count, " are known here");
  return {schema, std::move(attributes)};
}

/// Makes graphs of the structure: through Graph's own functions, so that every node is checked as one of any file.
class Builder {
 public:
  Builder(const RunContext& context, const tables::Model& model, Elements& elements, const OperatorSet& operators)
      : context_(context),
        model_(model),
        elements_(elements),
        operators_(operators),
        taken_(model.graphs().size()),
        regions_(taken_.size()) {}

  Graph build(uint32_t number, int depth = 0) {
    constexpr int kMostDepth = 32;  // regions within regions; programs have fewer
    require(number < taken_.size() && !taken_[number] && depth < kMostDepth, "its graph ", number, " of ",
            taken_.size(), " is missing, used twice or nested more than ", kMostDepth, " deep");
    taken_[number] = true;
    const tables::Region from = model_.graphs()[number];
    Graph graph;
    const WorkOnGraph work(graph, context_);
    values_of(from, graph);
    for (uint32_t i = 0; i < from.nodes().size(); ++i) add_node(from.nodes()[i], graph, depth);
    require(from.outputs().size() == from.output_names().size(), "its graph ", number, " has ",
            counted(from.outputs().size(), "output"), " and ", counted(from.output_names().size(), "name"), " of them");
    const std::vector<uint32_t> outputs = from.outputs().all();
    for (uint32_t i = 0; i < outputs.size(); ++i) graph.add_output(value(outputs[i], graph), from.output_names()[i]);
    return graph;
  }

  /// Packed weights and blocks name graphs by these numbers. Throws Error where others would come of `graph`.
  void check_numbers(const Graph& graph) const {
    const std::vector<const Graph*> graphs = numbered_graphs(graph);
    require(std::equal(graphs.begin() + 1, graphs.end(), regions_.begin() + 1, regions_.end()), "its ", regions_.size(),
            " graphs do not stand in the order of their nodes, which its packed weights and blocks rely on");
  }

 private:
  static ValueId value(uint32_t number, const Graph& graph) {
    require(number < graph.value_count(), "it uses value ", number, " where there are ", graph.value_count());
    return ValueId{static_cast<int32_t>(number)};
  }

  static Fact fact_of(const tables::Value& v) {
    Fact fact(saved::dtype_of(v.type()), shape_of(v.dims()));
    fact.is_array = v.array();
    return fact;
  }

  void values_of(const tables::Region& from, Graph& graph) {
    for (uint32_t i = 0; i < from.inputs().size(); ++i) {
      const tables::Value v = from.inputs()[i];
      graph.add_input(v.name(), fact_of(v));
    }
    for (uint32_t i = 0; i < from.constants().size(); ++i) {
      const tables::Constant c = from.constants()[i];
      graph.add_constant(elements_.tensor(c), c.name());
    }
  }

  /// The flat list of operands as one list per port.
  static PortValues operands(const tables::Node& node, const Graph& graph) {
    const std::vector<uint32_t> flat = node.operands().all();
    PortValues ports;
    size_t at = 0;
    for (uint32_t c : node.operand_counts().all()) {
      require(c <= flat.size() - at, "its node ", in_quotes(node.name()), " has ", counted(flat.size(), "operand"),
              ", fewer than its ports have");
      std::vector<ValueId>& port = ports.emplace_back();
      for (uint32_t i = 0; i < c; ++i) port.push_back(value(flat[at++], graph));
    }
    require(at == flat.size(), "its node ", in_quotes(node.name()), " has ", counted(flat.size(), "operand"),
            ", more than its ports have");
    return ports;
  }

  void add_node(const tables::Node& node, Graph& graph, int depth) {
    const uint32_t results = node.results().size();
    uint64_t expected = 0;
    PortCounts result_counts;
    for (uint32_t c : node.result_counts().all()) {
      expected += c;
      result_counts.push_back(static_cast<int>(std::min(c, results)));
    }
    require(expected == results, "its node ", in_quotes(node.name()), " has ", counted(results, "result"),
            ", and its ports ", expected);
    std::vector<std::shared_ptr<Graph>> regions;
    for (uint32_t r : node.regions().all()) {
      regions.push_back(std::make_shared<Graph>(build(r, depth + 1)));
      regions_[r] = regions.back().get();
    }
    const NodeId id = graph.add_node(op_of(node, operators_), operands(node, graph), std::move(result_counts),
                                     printable(node.name()), std::move(regions));
    if (node.lod_from() != kLodByOperator) graph.set_lod_from(id, node.lod_from());
    graph.set_scope(id, node.scope());
    for (uint32_t i = 0; i < results; ++i) {
      const tables::Value v = node.results()[i];
      const ValueId result = graph.node(id).outputs.at(i);
      graph.set_name(result, v.name());
      const Fact saved = fact_of(v);
      require(replaceable(saved, graph.fact(result)), "result ", i, " of its node ", in_quotes(graph.node(id).name),
              " is saved as ", saved, ", but it is ", graph.fact(result));
    }
  }

  const RunContext& context_;
  const tables::Model model_;
  Elements& elements_;
  const OperatorSet& operators_;
  std::vector<bool> taken_;
  std::vector<const Graph*> regions_;  // by number
};

/// Sessions take inputs and results by what is declared of them.
void check_interface(const Graph& graph, const ModelInfo& info) {
  require(graph.inputs().size() == info.inputs.size() && graph.outputs().size() >= info.outputs.size(),
          "its graph has ", counted(graph.inputs().size(), "input"), " and ", counted(graph.outputs().size(), "output"),
          ", declared are ", info.inputs.size(), " and ", info.outputs.size());
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    const Fact& fact = graph.fact(graph.inputs()[i]);
    const TensorInfo& declared = info.inputs[i];
    require(fact.dtype == declared.dtype && compatible(fact.shape, declared.shape), "its input ",
            in_quotes(declared.name), " is declared as ", Fact(declared.dtype, declared.shape), ", but it is ", fact);
  }
}

/// What `use` makes of the file; errors name it.
template <class F>
auto with_name(const File& file, const F& use) try {
  return use();
} catch (const Error& error) {
  throw Error(error.code(), text("the saved model ", in_quotes(file.name()), ": ", error.text()));
}

}  // namespace

bool is_saved_model(const File& file) {
  std::array<uint8_t, saved::kMagic.size()> bytes;
  return file.read(0, bytes) == bytes.size() &&
         std::equal(bytes.begin(), bytes.end(), saved::kMagic.begin(),
                    [](uint8_t a, char b) { return a == static_cast<uint8_t>(b); });
}

LoadedModel load_saved_model(const File& file, bool check_weights, const OperatorSet& operators) {
  return with_name(file, [&] {
    const saved::Structure structure = saved::read_structure(file);
    LoadedModel model;
    model.info = saved::info_of(structure, file.name(), operators);
    require_supported(model.info);
    Elements elements(file, structure, check_weights);
    Builder builder(file.context(), structure.model(), elements, operators);
    model.graph = builder.build(0);
    if (structure.packed.number != 0) {
      builder.check_numbers(model.graph);
      model.packed = saved::packed_constants(structure, file, check_weights);
    }
    if (structure.model().blocks().size() != 0) {
      builder.check_numbers(model.graph);
      model.blocks = saved::saved_blocks(structure, file, check_weights);
    }
    check_interface(model.graph, model.info);
    const WorkOnGraph work(model.graph, file.context());
    verify(model.graph, /*infer=*/false);
    model.mapped_bytes = elements.mapped_bytes();
    if (file.stamp()) model.files.push_back(*file.stamp());
    return model;
  });
}

ModelInfo inspect_saved_model(const File& file) {
  return with_name(file, [&] { return saved::info_of(saved::read_structure(file), file.name(), OperatorSet()); });
}

}  // namespace coracle::internal
