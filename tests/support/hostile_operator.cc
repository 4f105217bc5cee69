// SPDX-License-Identifier: Apache-2.0
#include "support/hostile_operator.h"

#include <algorithm>
#include <climits>
#include <limits>

#include "base/memory_ledger.h"
#include "base/run_context.h"
#include "run/executor.h"
#include "support/file_operator.h"

namespace coracle::internal::test {
namespace {

constexpr size_t kMemoryLimit = size_t{512} << 10U;
constexpr size_t kReferenceMemoryLimit = size_t{64} << 20U;
constexpr int64_t kMostElements = 1 << 14;
/// Of a reference, and of a run.
constexpr int64_t kTimeLimitMs = 2000;

class Generator {
 public:
  Generator(const Choose& choose, bool tame) : choose_(choose), tame_(tame) {}

  uint64_t below(uint64_t n) { return choose_() % n; }
  bool one_in(uint64_t n) { return below(n) == 0; }
  template <class T, size_t N>
  T any(const T (&values)[N]) {
    return values[below(N)];
  }

  int64_t integer() {
    constexpr int64_t kUsual[] = {0, 1, 1, 2, 2, 3, 4, -1, -2, 5, 8};
    constexpr int64_t kExtreme[] = {
        INT_MAX, INT_MIN, int64_t{1} << 31U, int64_t{1} << 40U,      int64_t{1} << 62U, INT64_MAX, INT64_MIN, -100, 255,
        1000,    65536,   -INT32_MAX,        (int64_t{1} << 32U) - 1};
    return one_in(12) && !tame_ ? any(kExtreme) : any(kUsual);
  }
  double real() {
    constexpr double kUsual[] = {0, 1, -1, 0.5, 2, 0.1, -0.25, 1e-5};
    constexpr double kExtreme[] = {
        1e30, -1e30, std::numeric_limits<double>::infinity(), 1e-40, std::numeric_limits<double>::quiet_NaN(),
        4e9,  -4e9};
    return one_in(10) && !tame_ ? any(kExtreme) : any(kUsual);
  }
  Ints integers() {
    Ints list(below(6));
    for (int64_t& v : list) v = integer();
    return list;
  }
  DType dtype() {
    constexpr DType kTypes[] = {DType::kFloat32, DType::kFloat32,  DType::kFloat32,  DType::kInt64, DType::kInt32,
                                DType::kBool,    DType::kFloat64,  DType::kFloat16,  DType::kInt8,  DType::kUint8,
                                DType::kInt16,   DType::kBfloat16, DType::kComplex64};
    return any(kTypes);
  }
  Shape shape() {
    constexpr int kRanks[] = {4, 4, 3, 3, 2, 2, 1, 1, 0, 5, 6};
    Shape s;
    for (int i = 0, rank = any(kRanks); i < rank; ++i) s.push_back(dim());
    return s;
  }
  int64_t dim() {
    constexpr int64_t kDims[] = {1, 2, 3, 4, 4, 5, 8, 0};
    return any(kDims);
  }
  Tensor tensor(DType dtype, const Shape& shape) {
    Tensor t = Tensor::make(dtype, shape);
    const int64_t count = t.count();
    if (is_complex(dtype)) {
      std::fill_n(static_cast<unsigned char*>(t.raw()), t.bytes(), static_cast<unsigned char>(0));
    } else if (is_float(dtype)) {
      std::vector<double> values(static_cast<size_t>(count));
      for (double& v : values) v = real();
      t.assign(std::span<const double>(values));
    } else {
      std::vector<int64_t> values(static_cast<size_t>(count));
      for (int64_t& v : values) v = integer();
      t.assign(std::span<const int64_t>(values));
    }
    return t;
  }

 private:
  const Choose& choose_;
  const bool tame_;
};

/// Sets about half of the attributes to whatever is chosen.
class HostileAttributes : public AttributeVisitor {
 public:
  explicit HostileAttributes(Generator& g) : g_(g) {}

 protected:
  void visit(std::string_view /*name*/, std::string_view /*legacy*/, AttributeRef field) override {
    if (g_.one_in(2)) return;
    std::visit([this](auto* value) { set(*value); }, field);
  }

 private:
  void set(bool& v) { v = g_.one_in(2); }
  void set(int& v) { v = static_cast<int>(g_.integer()); }
  void set(int64_t& v) { v = g_.integer(); }
  void set(double& v) { v = g_.real(); }
  void set(std::string& v) {
    constexpr const char* kTexts[] = {"", "SAME", "VALID", "NHWC", "NCHW", "max", "avg", "x,y->xy", "ij,jk->ik", "SUM"};
    v = g_.any(kTexts);
  }
  void set(Ints& v) { v = g_.integers(); }
  void set(Floats& v) {
    v.resize(g_.below(6));
    for (double& x : v) x = g_.real();
  }
  void set(Strings& v) { v.assign(g_.below(3), "x"); }
  void set(DType& v) { v = g_.dtype(); }
  void set(std::optional<DType>& v) { v = g_.dtype(); }
  void set(EnumRef& v) { v.value = static_cast<int>(g_.below(v.names.size())); }

  Generator& g_;
};

Lod offsets(Generator& g, int64_t rows) {
  std::vector<size_t> level{0};
  while (static_cast<int64_t>(level.back()) < rows) {
    level.push_back(std::min(static_cast<size_t>(rows), level.back() + static_cast<size_t>(g.below(3))));
    if (level.size() > 20) level.back() = static_cast<size_t>(rows);
  }
  if (level.size() == 1) level.push_back(0);
  Lod lod{level};
  if (g.one_in(4)) lod.insert(lod.begin(), {0, level.size() - 1});
  return lod;
}

void draw_operands(HostileNode& node, Generator& g) {
  const DType usual = g.dtype();
  const Shape common = g.shape();
  for (const Port& port : input_ports(*node.schema)) {
    int count = 1;
    if (port.kind == Port::Kind::kOptional) count = static_cast<int>(g.below(2));
    if (port.kind == Port::Kind::kList) count = static_cast<int>(g.below(4));
    if (g.one_in(40)) count = 0;
    node.in_counts.push_back(count);
    for (int i = 0; i < count; ++i) {
      const bool argument = port.shape_input || !port.attribute.empty();
      DType dtype = g.one_in(8) ? g.dtype() : usual;
      Shape shape = common;
      if (argument) {
        if (!g.one_in(8)) dtype = g.one_in(3) ? DType::kInt32 : port.attribute_dtype;
        shape = g.one_in(3) ? Shape{} : Shape{g.dim()};
      } else if (g.one_in(2)) {
        shape = g.shape();
      } else if (shape.rank() > 0 && g.one_in(2)) {
        shape[static_cast<int>(g.below(static_cast<uint64_t>(shape.rank())))] = g.dim();
      }
      Tensor t = g.tensor(dtype, shape);
      if (shape.rank() > 0 && g.one_in(4)) t.set_lod(offsets(g, shape[0]));
      node.operands.push_back(std::move(t));
      node.constant.push_back(argument ? !g.one_in(4) : port.weight || g.one_in(6));
    }
  }
}

PortCounts output_counts(const OpSchema& schema, Generator& g) {
  PortCounts counts;
  for (const Port& port : output_ports(schema)) {
    int count = 1;
    if (port.kind == Port::Kind::kOptional) count = static_cast<int>(g.below(2));
    if (port.kind == Port::Kind::kList) count = static_cast<int>(g.below(4));
    counts.push_back(count);
  }
  return counts;
}

/// The node by its reference, on the types of its very operands.
void run_reference(const Node& node, const std::vector<Tensor>& operands) {
  std::vector<Fact> facts;
  std::vector<const Fact*> args;
  for (const Tensor& t : operands) {
    facts.push_back(t.is_array() ? Fact(t.dtype(), Shape::unknown_rank()) : Fact::constant(t));
    facts.back().is_array = t.is_array();
    if (!t.lod().empty()) facts.back().lod = std::make_shared<const Lod>(t.lod());
  }
  for (const Fact& f : facts) args.push_back(&f);
  const std::vector<Fact> results = infer_node(kNoRun, node, args);
  for (const Fact& f : results) {
    if (f.known() && !f.is_array && f.shape.count() > kMostElements) return;
  }
  const auto ledger = std::make_shared<MemoryLedger>(kReferenceMemoryLimit);
  const RunContext limits(Deadline("the reference", Deadline::Clock::now(), kTimeLimitMs, nullptr), ledger);
  evaluate_node(limits, node, operands, results);
}

}  // namespace

HostileNode draw_hostile_node(const OpSchema& schema, const Choose& choose, bool tame) {
  Generator g(choose, tame);
  HostileNode node;
  node.schema = &schema;
  node.attributes = schema.make(nullptr);
  HostileAttributes hostile(g);
  schema.visit(node.attributes.get(), hostile);
  draw_operands(node, g);
  node.out_counts = output_counts(schema, g);
  return node;
}

std::vector<ValueId> add_hostile_node(Graph& graph, const HostileNode& node, const PortValues& inputs) {
  if (node.schema->infer == nullptr) {
    return lower_from_file(graph, *node.schema, node.file_attributes, inputs, node.out_counts);
  }
  if (node.as_file) {
    const AttributeMap attributes = attributes_of_file(*node.schema, node.attributes.get());
    return lower_from_file(graph, *node.schema, attributes, inputs, node.out_counts);
  }
  return graph.node(graph.add_node(Op(node.schema, node.attributes), inputs, node.out_counts, "node", node.regions))
      .outputs;
}

bool run_hostile_node(const HostileNode& given) {
  try {
    Graph graph;
    std::vector<Tensor> inputs;
    PortValues ports;
    size_t flat = 0;
    for (int count : given.in_counts) {
      ports.emplace_back();
      for (int i = 0; i < count; ++i, ++flat) {
        const Tensor& t = given.operands[flat];
        if (given.constant[flat] && !t.is_array()) {
          ports.back().push_back(graph.add_constant(t));
          continue;
        }
        Fact fact(t.dtype(), t.is_array() ? Shape::unknown_rank() : Shape::filled(t.shape().rank(), -1));
        fact.is_array = t.is_array();
        ports.back().push_back(graph.add_input(text("x", flat), std::move(fact)));
        inputs.push_back(t);
      }
    }
    const std::vector<ValueId> results = add_hostile_node(graph, given, ports);
    for (size_t i = 0; i < results.size(); ++i) graph.add_output(results[i], text("y", i));
    if (given.schema->infer != nullptr && !given.as_file)
      run_reference(graph.node(graph.order().back()), given.operands);
    Executor executor(
        std::make_shared<const Program>(std::make_shared<const Graph>(std::move(graph)), ProgramOptions{}),
        {.threads = 1, .cache_bytes = 0, .memory_limit = kMemoryLimit, .time_limit_ms = kTimeLimitMs});
    executor.run(inputs);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool run_hostile_node(const OpSchema& schema, const Choose& choose) {
  if (schema.regions > 0) return false;
  try {
    return run_hostile_node(draw_hostile_node(schema, choose, /*tame=*/false));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace coracle::internal::test
