// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <unordered_map>

#include "base/counted.h"
#include "graph/text.h"
#include "graph/text_attributes.h"
#include "graph/text_lexer.h"

namespace coracle::internal {
namespace {

/// Nested regions beyond this are refused; importers refuse them earlier.
constexpr int kMaxDepth = 16;

/// Element i of a sequence that `seed` begins, uniform in [0, 1) (splitmix64).
double uniform(uint64_t seed, int64_t i) {
  uint64_t z = seed + (static_cast<uint64_t>(i) + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) / 9007199254740992.0;
}

void fill_random(Tensor& tensor, uint64_t seed, std::optional<double> low, std::optional<double> high) {
  const int64_t count = tensor.count();
  if (is_complex(tensor.dtype())) {
    for (int64_t i = 0; i < count; ++i) {
      const std::complex<double> z(uniform(seed, 2 * i), uniform(seed, 2 * i + 1));
      if (tensor.dtype() == DType::kComplex64) {
        tensor.data<std::complex<float>>()[i] = std::complex<float>(z);
      } else {
        tensor.data<std::complex<double>>()[i] = z;
      }
    }
    return;
  }
  if (is_float8(tensor.dtype())) {
    const double from = low.value_or(-1.0);
    const double to = high.value_or(1.0);
    visit_float8(tensor.dtype(), [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      for (int64_t i = 0; i < count; ++i) {
        tensor.data<T>()[i] = T(static_cast<float>(from + (to - from) * uniform(seed, i)));
      }
    });
    return;
  }
  const bool real = is_float(tensor.dtype());
  const double from = low.value_or(real ? -1.0 : 0.0);
  const double to = high.value_or(real ? 1.0 : 4.0);
  visit_real(tensor.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0; i < count; ++i) {
      const double u = uniform(seed, i);
      T& element = tensor.data<T>()[i];
      if constexpr (std::is_same_v<T, bool>) {
        element = u >= 0.5;
      } else if constexpr (std::is_integral_v<T>) {
        element = static_cast<T>(static_cast<int64_t>(std::floor(from + (to - from) * u)));
      } else {
        element = T(static_cast<float>(from + (to - from) * u));
      }
    }
  });
}

class Parser {
 public:
  Parser(std::string_view text, int64_t max_constant_bytes) : lexer_(text), max_constant_bytes_(max_constant_bytes) {}

  Graph parse() {
    Graph graph = parse_graph(0);
    if (lexer_.next().kind != Token::Kind::kEnd) lexer_.fail_expected("the end of the text");
    return graph;
  }

 private:
  using Names = std::unordered_map<std::string_view, ValueId>;

  Graph parse_graph(int depth) {
    if (!lexer_.at_word("graph")) lexer_.fail_expected("'graph'");
    const Token begin = lexer_.take();
    require(depth < kMaxDepth, ErrorCode::kInvalidModel, begin.place, ": graphs are nested deeper than ", kMaxDepth);
    Graph graph;
    Names names;
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      if (!names.empty()) lexer_.expect(",");
      const Token value = lexer_.expect(Token::Kind::kValue, "an input, like %x0");
      const std::string name = parse_name();
      lexer_.expect(":");
      define(names, value, graph.add_input(name, parse_fact()));
    }
    lexer_.expect("{");
    while (!lexer_.at_word("return")) {
      if (lexer_.next().kind == Token::Kind::kValue && lexer_.next().text.front() == '@') {
        parse_constant(graph, names);
      } else {
        parse_node(graph, names, depth);
      }
    }
    lexer_.take();
    for (bool first = true; !lexer_.at("}"); first = false) {
      if (!first) lexer_.expect(",");
      const ValueId value = parse_use(names);
      graph.add_output(value, parse_name());
    }
    lexer_.expect("}");
    return graph;
  }

  /// A quoted name, if one stands here.
  std::string parse_name() {
    return lexer_.next().kind == Token::Kind::kString ? unescaped(lexer_.take()) : std::string();
  }

  static void define(Names& names, const Token& token, ValueId value) {
    require(names.emplace(token.text, value).second, ErrorCode::kInvalidModel, token.place, ": ", token.text,
            " is defined a second time");
  }

  ValueId parse_use(const Names& names) {
    const Token token = lexer_.expect(Token::Kind::kValue, "a value, like %0");
    const auto it = names.find(token.text);
    require(it != names.end(), ErrorCode::kInvalidModel, token.place, ": ", token.text,
            " is used before it is defined");
    return it->second;
  }

  /// "float32[1, ?]", "float32[...]:array", "unknown[...]"
  Fact parse_fact() {
    const Token word = lexer_.expect(Token::Kind::kWord, "an element type, like float32");
    const bool unknown = word.text == name_of(DType::kUnknown);
    const std::optional<DType> dtype = unknown ? DType::kUnknown : dtype_of(word.text);
    require(dtype.has_value(), ErrorCode::kInvalidModel, word.place,
            ": expected an element type, like float32, found '", word.text, "'");
    const TextPlace shape_place = lexer_.next().place;
    Fact fact(*dtype, parse_shape());
    require(!unknown || !fact.shape.rank_known(), ErrorCode::kInvalidModel, shape_place,
            ": expected [...] of a value of unknown type, found ", fact.shape);
    while (lexer_.accept(":")) {
      if (lexer_.at_word("nhwc")) {
        fact.layout = Layout::kChannelsLast;
      } else if (lexer_.at_word("array")) {
        fact.is_array = true;
      } else {
        lexer_.fail_expected("'nhwc' or 'array'");
      }
      lexer_.take();
    }
    return fact;
  }

  Shape parse_shape() {
    lexer_.expect("[");
    if (lexer_.accept("...")) {
      lexer_.expect("]");
      return Shape::unknown_rank();
    }
    Shape shape;
    while (!lexer_.accept("]")) {
      if (shape.rank() > 0) lexer_.expect(",");
      const TextPlace place = lexer_.next().place;
      require(shape.rank() < Shape::kMaxRank, ErrorCode::kInvalidModel, place, ": expected at most ",
              counted(Shape::kMaxRank, "dimension"));
      if (lexer_.accept("?")) {
        shape.push_back(Shape::kUnknown);
        continue;
      }
      const int64_t dim = integer_of(lexer_.expect(Token::Kind::kNumber, "a dimension or '?'"));
      require(dim >= 0, ErrorCode::kInvalidModel, place, ": expected a dimension of at least 0, found ", dim);
      shape.push_back(dim);
    }
    return shape;
  }

  // ---- constants

  void parse_constant(Graph& graph, Names& names) {
    const Token value = lexer_.take();
    const std::string name = parse_name();
    lexer_.expect(":");
    const TextPlace place = lexer_.next().place;
    const Fact fact = parse_fact();
    lexer_.expect("=");
    require(fact.known() && !fact.is_array && fact.layout == Layout::kRowMajor, ErrorCode::kInvalidModel, place,
            ": expected a constant's type, row-major with all dimensions known, found ", fact);
    define(names, value, graph.add_constant(parse_elements(fact, place), name));
  }

  Tensor parse_elements(const Fact& fact, TextPlace place) {
    int64_t bytes = 0;
    try {
      bytes = checked_multiply(fact.shape.count(), static_cast<int64_t>(size_of(fact.dtype)));
    } catch (const Error&) {
      bytes = max_constant_bytes_ + 1;
    }
    require(bytes <= max_constant_bytes_ - constant_bytes_, ErrorCode::kInvalidModel, place,
            ": the constants of a text take more than ", counted(max_constant_bytes_, "byte"));
    constant_bytes_ += bytes;
    Tensor tensor = Tensor::make(fact.dtype, fact.shape);
    if (lexer_.at_word("random")) {
      parse_random(tensor);
    } else {
      parse_list(tensor);
    }
    return tensor;
  }

  /// random(seed) or random(seed, low, high)
  void parse_random(Tensor& tensor) {
    lexer_.take();
    lexer_.expect("(");
    const int64_t seed = integer_of(lexer_.take());
    std::optional<double> low;
    std::optional<double> high;
    if (lexer_.accept(",")) {
      low = bound();
      lexer_.expect(",");
      high = bound();
    }
    lexer_.expect(")");
    fill_random(tensor, static_cast<uint64_t>(seed), low, high);
  }

  double bound() {
    const Token token = lexer_.take();
    const double value = real_of(token);
    require(value >= -1e9 && value <= 1e9, ErrorCode::kInvalidModel, token.place,
            ": expected a bound between -1e9 and 1e9, found ", token.text);
    return value;
  }

  /// {1, 2, 3}
  void parse_list(Tensor& tensor) {
    const TextPlace place = lexer_.next().place;
    lexer_.expect("{");
    int64_t n = 0;
    for (; !lexer_.accept("}"); ++n) {
      if (n > 0) lexer_.expect(",");
      require(n < tensor.count(), ErrorCode::kInvalidModel, place, ": expected ", counted(tensor.count(), "element"),
              ", found more");
      parse_element(tensor, n);
    }
    require(n == tensor.count(), ErrorCode::kInvalidModel, place, ": expected ", counted(tensor.count(), "element"),
            ", found ", n);
  }

  void parse_element(Tensor& tensor, int64_t i) {
    const Token token = lexer_.take();
    require(!is_complex(tensor.dtype()), ErrorCode::kInvalidModel, token.place,
            ": expected random(seed) for complex elements");
    if (is_float8(tensor.dtype())) {
      visit_float8(tensor.dtype(), [&](auto* p) {
        using T = std::remove_pointer_t<decltype(p)>;
        tensor.data<T>()[i] = T(static_cast<float>(real_of(token)));
      });
      return;
    }
    visit_real(tensor.dtype(), [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      T& element = tensor.data<T>()[i];
      if constexpr (std::is_integral_v<T>) {
        const int64_t v = integer_of(token);
        element = static_cast<T>(v);
        require(static_cast<int64_t>(element) == v, ErrorCode::kInvalidModel, token.place, ": expected an element of ",
                tensor.dtype(), ", found ", v);
      } else if constexpr (std::is_same_v<T, double>) {
        element = real_of(token);
      } else {
        element = T(static_cast<float>(real_of(token)));
      }
    });
  }

  // ---- nodes

  /// Results of a node: their tokens, names and declared types, flat by port.
  struct Results {
    struct Result {
      Token token;
      std::string name;
      std::optional<Fact> declared;
      TextPlace type_place;
    };
    std::vector<Result> all;
    PortCounts counts;
  };

  void parse_result(Results& results) {
    Results::Result r{
        .token = lexer_.expect(Token::Kind::kValue, "a result, like %0"), .name = {}, .declared = {}, .type_place = {}};
    r.name = parse_name();
    if (lexer_.accept(":")) {
      r.type_place = lexer_.next().place;
      r.declared = parse_fact();
    }
    results.all.push_back(std::move(r));
    ++results.counts.back();
  }

  Results parse_results() {
    Results results;
    if (lexer_.next().kind == Token::Kind::kWord && !lexer_.at_word("_")) return results;
    do {
      results.counts.push_back(0);
      if (lexer_.at_word("_")) {
        lexer_.take();
      } else if (lexer_.accept("[")) {
        while (!lexer_.accept("]")) {
          if (results.counts.back() > 0) lexer_.expect(",");
          parse_result(results);
        }
      } else {
        parse_result(results);
      }
    } while (lexer_.accept(","));
    lexer_.expect("=");
    return results;
  }

  PortValues parse_operands(const Names& names) {
    PortValues ports;
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      if (!ports.empty()) lexer_.expect(",");
      ports.emplace_back();
      if (lexer_.at_word("_")) {
        lexer_.take();
      } else if (lexer_.accept("[")) {
        while (!lexer_.accept("]")) {
          if (!ports.back().empty()) lexer_.expect(",");
          ports.back().push_back(parse_use(names));
        }
      } else {
        ports.back().push_back(parse_use(names));
      }
    }
    return ports;
  }

  /// "lod 1" or "lod none" behind a node, see Node::lod_from.
  int parse_lod_from() {
    if (!lexer_.accept_word("lod")) return kLodByOperator;
    if (lexer_.accept_word("none")) return kNoLod;
    const Token number = lexer_.expect(Token::Kind::kNumber, "'none' or the number of an operand");
    int operand = -1;
    const char* end = number.text.data() + number.text.size();
    const auto [stop, error] = std::from_chars(number.text.data(), end, operand);
    require(error == std::errc() && stop == end && operand >= 0, ErrorCode::kInvalidModel, number.place,
            ": expected the number of an operand, found '", number.text, "'");
    return operand;
  }

  /// scope "/encoder/" behind a node, see Node::scope.
  std::string parse_scope() {
    if (!lexer_.accept_word("scope")) return {};
    return unescaped(lexer_.expect(Token::Kind::kString, "a name scope, like \"/encoder/\""));
  }

  void parse_node(Graph& graph, Names& names, int depth) {
    Results results = parse_results();
    const Token name = lexer_.expect(Token::Kind::kWord, "an operator, a constant, a result or 'return'");
    const OpSchema* schema = find_op(name.text);
    require(schema != nullptr && schema->infer != nullptr, ErrorCode::kInvalidModel, name.place,
            ": there is no operator '", name.text, "'");
    require(results.counts.size() <= schema->outputs.size(), ErrorCode::kInvalidModel, name.place, ": operator ",
            schema->name, " has ", schema->outputs.size(), " result ports, found ", results.counts.size());
    const PortValues operands = parse_operands(names);
    std::vector<std::shared_ptr<Graph>> regions;
    NodeId id = kNoNode;
    try {
      Op op = parse_attributes(lexer_, *schema);
      const int lod_from = parse_lod_from();
      const std::string scope = parse_scope();
      while (lexer_.at_word("graph")) regions.push_back(std::make_shared<Graph>(parse_graph(depth + 1)));
      require(static_cast<int>(regions.size()) == schema->regions, ErrorCode::kInvalidModel, name.place, ": operator ",
              schema->name, " has ", counted(schema->regions, "region"), ", found ", regions.size());
      results.counts.resize(schema->outputs.size(), 0);
      id = graph.add_node(std::move(op), operands, results.counts, {}, std::move(regions));
      if (lod_from != kLodByOperator) graph.set_lod_from(id, lod_from);
      graph.set_scope(id, scope);
    } catch (Error& e) {
      if (e.code() == ErrorCode::kOutOfMemory) throw;
      throw Error(ErrorCode::kInvalidModel, e.text())
          .add_context(text("parsing operator ", schema->name, " at ", name.place));
    }
    for (size_t i = 0; i < results.all.size(); ++i) {
      const Results::Result& r = results.all[i];
      const ValueId value = graph.node(id).outputs[i];
      require(!r.declared || replaceable(graph.fact(value), *r.declared), ErrorCode::kInvalidModel, r.type_place, ": ",
              r.token.text, " is ", graph.fact(value), ", and the text says ", r.declared.value_or(Fact()));
      graph.set_name(value, r.name);
      define(names, r.token, value);
    }
  }

  TextLexer lexer_;
  int64_t max_constant_bytes_;
  int64_t constant_bytes_ = 0;
};

}  // namespace

Graph parse(std::string_view text, int64_t max_constant_bytes) { return Parser(text, max_constant_bytes).parse(); }

}  // namespace coracle::internal
