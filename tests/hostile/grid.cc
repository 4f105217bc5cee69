// SPDX-License-Identifier: Apache-2.0
#include "hostile/grid.h"

#include <algorithm>
#include <climits>
#include <limits>
#include <random>

#include "base/dtypes.h"
#include "hostile/file_attributes.h"
#include "hostile/regions.h"
#include "support/file_operator.h"

namespace coracle::internal::test {
namespace {

constexpr int64_t kIntegers[] = {
    INT64_MIN, INT64_MIN + 1, -(int64_t{1} << 62), -(int64_t{1} << 31) - 1, INT_MIN,          -2,       -1,
    0,         INT_MAX,       int64_t{1} << 31,    int64_t{1} << 32,        int64_t{1} << 62, INT64_MAX};
constexpr double kReals[] = {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             1e300,
                             -1e300,
                             0x1p31,
                             -0x1p63,
                             0.0};
constexpr DType kTypes[] = {DType::kBool,       DType::kInt8,      DType::kUint8,     DType::kInt16,
                            DType::kInt32,      DType::kInt64,     DType::kFloat16,   DType::kBfloat16,
                            DType::kFloat32,    DType::kFloat64,   DType::kComplex64, DType::kComplex128,
                            DType::kFloat8E4m3, DType::kFloat8E5m2};
/// Shapes whose products pass 2^31, 2^62, 2^63 and 2^64.
const Shape kHugeShapes[] = {{INT_MAX},
                             {1 << 16, 1 << 15},
                             {int64_t{1} << 31, int64_t{1} << 31},
                             {int64_t{1} << 32, int64_t{1} << 32},
                             {int64_t{1} << 62},
                             {INT64_MAX},
                             {1, 1, int64_t{1} << 31, int64_t{1} << 31},
                             {1, 4, int64_t{1} << 30, int64_t{1} << 30},
                             {int64_t{1} << 40, 0, int64_t{1} << 40},
                             {0, int64_t{1} << 62, 4, 4}};

Tensor zeros(DType dtype, const Shape& shape) {
  Tensor t = Tensor::make(dtype, shape);
  std::fill_n(static_cast<unsigned char*>(t.raw()), t.bytes(), static_cast<unsigned char>(0));
  return t;
}

/// The elements of t in another shape or type: repeated, or cut.
Tensor like(const Tensor& t, DType dtype, const Shape& shape) {
  Tensor to = zeros(dtype, shape);
  if (!kRealTypes.has(dtype) || !kRealTypes.has(t.dtype()) || t.count() == 0) return to;
  std::vector<double> values(static_cast<size_t>(to.count()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = t.number(static_cast<int64_t>(i) % t.count());
  to.assign(std::span<const double>(values));
  return to;
}

/// Changes attribute number `which` by its change number `round`; tells whether there is such a change.
class ChangedAttribute : public AttributeVisitor {
 public:
  ChangedAttribute(int which, int round) : which_(which), round_(static_cast<size_t>(round)) {}
  bool exists() const { return exists_; }
  bool changed() const { return !name_.empty(); }
  const std::string& name() const { return name_; }

 protected:
  void visit(std::string_view name, std::string_view /*legacy*/, AttributeRef field) override {
    if (which_-- != 0) return;
    exists_ = true;
    std::visit(
        [&](auto* value) {
          if (change(*value)) name_ = text("attribute ", name, told_);
        },
        field);
  }

 private:
  template <class T, size_t N>
  bool pick(T& to, const T (&from)[N]) {
    if (round_ >= N) return false;
    to = from[round_];
    told_ = text(" = ", from[round_]);
    return true;
  }
  bool change(bool& v) { return pick(v, {true, false}); }
  /// A file's number that an int cannot hold is refused before there is an operator: the nearest one instead.
  bool change(int& v) {
    int64_t wide = 0;
    const bool changed = pick(wide, kIntegers);
    if (changed) v = static_cast<int>(std::clamp<int64_t>(wide, INT_MIN, INT_MAX));
    return changed;
  }
  bool change(int64_t& v) { return pick(v, kIntegers); }
  bool change(double& v) { return pick(v, kReals); }
  bool change(std::string& v) {
    if (round_ > 2) return false;
    v = round_ == 0 ? "" : round_ == 1 ? "no such mode" : std::string(1000, 'x');
    told_ = text(" of ", v.size(), " characters");
    return true;
  }
  template <class T, size_t N>
  bool change_list(std::vector<T>& v, const T (&from)[N]) {
    constexpr size_t kLengths[] = {0, 1, 2, 3, 9, 10};
    const size_t length = v.empty() ? 2 : v.size();
    told_ = text(", change ", round_);
    if (round_ < N) {
      v.assign(length, from[round_]);
    } else if (round_ < 2 * N) {
      v.resize(length);
      v.back() = from[round_ - N];
    } else if (round_ < 2 * N + std::size(kLengths)) {
      v.resize(kLengths[round_ - 2 * N], T{1});
    } else {
      return false;
    }
    return true;
  }
  bool change(Ints& v) { return change_list(v, kIntegers); }
  bool change(Floats& v) { return change_list(v, kReals); }
  bool change(Strings& v) {
    if (round_ > 1) return false;
    v.assign(round_ * 4, "x");
    told_ = text(" of ", v.size(), " entries");
    return true;
  }
  bool change(DType& v) { return pick(v, kTypes); }
  bool change(std::optional<DType>& v) {
    DType type{};
    const bool changed = pick(type, kTypes);
    if (changed) v = type;
    return changed;
  }
  bool change(EnumRef& v) {
    if (round_ >= v.names.size()) return false;
    v.value = static_cast<int>(round_);
    told_ = text(" = ", round_);
    return true;
  }

  int which_;
  size_t round_;
  bool exists_ = false;
  std::string name_;
  std::string told_;
};

class Grid {
 public:
  Grid(const HostileNode& base, std::function<void(const BadUse&)> use) : base_(base), use_(std::move(use)) {}

  void run() {
    base_.schema->infer == nullptr ? file_attributes() : attributes();
    regions();
    for (size_t i = 0; i < base_.operands.size(); ++i) operand(i);
    all_operands();
    counts();
  }

 private:
  BadUse copy(std::string name) const { return {.name = std::move(name), .node = base_, .facts = {}}; }

  void attributes() {
    for (int which = 0;; ++which) {
      for (int round = 0;; ++round) {
        BadUse bad = copy("");
        bad.node.attributes = base_.schema->make(base_.attributes.get());
        ChangedAttribute change(which, round);
        try {
          base_.schema->visit(bad.node.attributes.get(), change);
        } catch (const Error&) {
          continue;  // refused by the operator's own list of attributes
        }
        if (!change.exists()) return;
        if (!change.changed()) break;
        bad.name = change.name();
        use_(bad);
      }
    }
  }

  /// Those that the reading of the operator looks at.
  void file_attributes() {
    for (const FileAttribute& a : attributes_read(*base_.schema)) {
      for (int round = 0;; ++round) {
        BadUse bad = copy("");
        AttributeValue value = a.sample;
        ChangedAttribute change(0, round);
        std::visit(
            [&](auto& v) {
              if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, NeverHeld>) {
                static_cast<AttributeVisitor&>(change)(a.name.c_str(), v);
              }
            },
            value);
        if (!change.changed()) break;
        bad.name = change.name();
        bad.node.file_attributes.set(a.name, std::move(value));
        use_(bad);
      }
      BadUse bad = copy(text("attribute ", a.name, " of another kind"));
      bad.node.file_attributes.set(a.name, of_another_kind(a.sample));
      use_(bad);
    }
  }

  void regions() {
    for (const BadRegions& r : bad_regions(base_)) {
      BadUse bad = copy(r.name);
      bad.node.regions = r.regions;
      use_(bad);
    }
  }

  void replace(const std::string& what, size_t i, const Tensor& tensor) {
    BadUse bad = copy(text("operand ", i, ": ", what));
    bad.node.operands[i] = tensor;
    use_(bad);
  }

  void operand(size_t i) {
    const Tensor& t = base_.operands[i];
    for (int rank = 0; rank <= Shape::kMaxRank; ++rank) {
      replace(text("rank ", rank), i, like(t, t.dtype(), Shape::filled(rank, 1)));
    }
    for (int d = 0; d < t.shape().rank(); ++d) {
      for (int64_t size : {int64_t{0}, t.shape()[d] + 1}) {
        Shape shape = t.shape();
        shape[d] = size;
        replace(text("shape ", shape), i, like(t, t.dtype(), shape));
      }
    }
    for (DType type : kTypes) replace(text("type ", type), i, like(t, type, t.shape()));
    if (is_float(t.dtype())) {
      for (double v : kReals) {
        const std::vector<double> values(static_cast<size_t>(t.count()), v);
        Tensor full = zeros(t.dtype(), t.shape());
        full.assign(std::span<const double>(values));
        replace(text("full of ", v), i, full);
      }
    } else if (!is_complex(t.dtype())) {
      for (int64_t v : kIntegers) {
        const std::vector<int64_t> values(static_cast<size_t>(t.count()), v);
        Tensor full = zeros(t.dtype(), t.shape());
        full.assign(std::span<const int64_t>(values));
        replace(text("full of ", v), i, full);
      }
    }
    Tensor array = Tensor::array(t.dtype());
    replace("a tensor array", i, array);
    array.elements().push_back(t);
    replace("a tensor array of one", i, array);
    Tensor with_offsets = t;
    with_offsets.set_lod({{0, 3, 1, SIZE_MAX}});
    replace("wrong sequence offsets", i, with_offsets);
    for (const Shape& shape : kHugeShapes) huge(text("operand ", i, ": shape ", shape), {i}, shape);
  }

  /// Operands `which` have a shape that no memory holds.
  void huge(std::string name, const std::vector<size_t>& which, const Shape& shape) {
    BadUse bad = copy(std::move(name));
    for (size_t i = 0; i < base_.operands.size(); ++i) {
      bad.facts.push_back(base_.constant[i] ? Fact::constant(base_.operands[i])
                                            : Fact(base_.operands[i].dtype(), base_.operands[i].shape()));
    }
    for (size_t i : which) bad.facts[i] = Fact(base_.operands[i].dtype(), shape);
    use_(bad);
  }

  void all_operands() {
    if (base_.operands.empty()) return;
    std::vector<size_t> data;
    for (size_t i = 0; i < base_.operands.size(); ++i) {
      if (base_.operands[i].shape().rank() > 1) data.push_back(i);
    }
    for (const Shape& shape : kHugeShapes) huge(text("all operands: shape ", shape), data, shape);
    for (DType type : kTypes) {
      BadUse bad = copy(text("all operands: type ", type));
      for (Tensor& t : bad.node.operands) t = like(t, type, t.shape());
      use_(bad);
    }
    for (int64_t size : {0, 1}) {
      BadUse bad = copy(text("all operands: sizes ", size));
      for (Tensor& t : bad.node.operands) t = like(t, t.dtype(), Shape::filled(t.shape().rank(), size));
      use_(bad);
    }
  }

  /// Ports without or with one more operand or result.
  void counts() {
    size_t flat = 0;
    for (size_t p = 0; p < base_.in_counts.size(); ++p) {
      const auto count = static_cast<size_t>(base_.in_counts[p]);
      if (count > 0) {
        BadUse without = copy(text("no operand at ", input_ports(*base_.schema)[p].name));
        without.node.operands.erase(without.node.operands.begin() + static_cast<int64_t>(flat));
        without.node.constant.erase(without.node.constant.begin() + static_cast<int64_t>(flat));
        --without.node.in_counts[p];
        use_(without);
        BadUse twice = copy(text("two operands at ", input_ports(*base_.schema)[p].name));
        twice.node.operands.insert(twice.node.operands.begin() + static_cast<int64_t>(flat), base_.operands[flat]);
        twice.node.constant.insert(twice.node.constant.begin() + static_cast<int64_t>(flat), base_.constant[flat]);
        ++twice.node.in_counts[p];
        use_(twice);
      }
      flat += count;
    }
    for (size_t p = 0; p < base_.out_counts.size(); ++p) {
      for (int count : {0, 2}) {
        BadUse bad = copy(text(count, " results at ", output_ports(*base_.schema)[p].name));
        bad.node.out_counts[p] = count;
        use_(bad);
      }
    }
  }

  const HostileNode& base_;
  const std::function<void(const BadUse&)> use_;
};

}  // namespace

BaseNode base_node(const OpSchema& schema, unsigned seed) {
  constexpr unsigned kTries = 1000;
  std::mt19937_64 random(seed);
  BaseNode base;
  if (schema.regions > 0) {
    base.node = node_with_regions(schema);
    base.runs = run_hostile_node(base.node);
    return base;
  }
  for (unsigned i = 0; i < kTries && !base.runs; ++i) {
    try {
      base.node = draw_hostile_node(
          schema, [&] { return random(); }, /*tame=*/true);
      if (base.node.operands.empty() && !input_ports(schema).empty()) continue;  // of lists, one with values
      if (schema.infer == nullptr) draw_file_attributes(base.node, [&] { return random(); });
      base.runs = run_hostile_node(base.node);
    } catch (const Error&) {  // refused by the operator's own list of attributes
    }
  }
  return base;
}

void for_each_bad_use(const HostileNode& base, const std::function<void(const BadUse&)>& use) {
  Grid(base, use).run();
  if (base.schema->infer == nullptr || base.schema->lower == nullptr || base.schema->regions > 0) return;
  HostileNode of_file = base;
  of_file.as_file = true;
  Grid(of_file, [&](BadUse bad) {
    bad.name += ", in a file";
    use(bad);
  }).run();
}

void infer_bad_use(const BadUse& use) {
  try {
    Graph graph;
    PortValues ports;
    size_t flat = 0;
    for (int count : use.node.in_counts) {
      ports.emplace_back();
      for (int i = 0; i < count; ++i, ++flat) {
        const Fact& fact = use.facts[flat];
        ports.back().push_back(fact.value != nullptr ? graph.add_constant(*fact.value)
                                                     : graph.add_input(text("x", flat), fact));
      }
    }
    for (ValueId v : add_hostile_node(graph, use.node, ports)) {
      const Fact& fact = graph.fact(v);
      if (fact.known()) fact.bytes();
    }
  } catch (const Error&) {
  }
}

}  // namespace coracle::internal::test
