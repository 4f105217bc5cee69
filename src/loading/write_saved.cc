// SPDX-License-Identifier: Apache-2.0
#include "loading/write_saved.h"

#include <flatbuffers/flatbuffers.h>

#include <array>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "base/new_file.h"
#include "base/printable.h"
#include "loading/write_saved_blocks.h"
#include "saved/format.h"
#include "saved/schema_generated.h"

namespace coracle::internal {
namespace {

namespace fb = saved_file;
using flatbuffers::Offset;
using Text = Offset<flatbuffers::String>;
template <class T>
using List = Offset<flatbuffers::Vector<T>>;

fb::ElementType type_code(DType dtype) {
  switch (dtype) {
#define CORACLE_ROW(enumerator, cpp, kind, c, name, size, var_type, pir, saved) \
  case DType::enumerator: return fb::ElementType::saved;
    CORACLE_DTYPES(CORACLE_ROW)
#undef CORACLE_ROW
    case DType::kUnknown: break;
  }
  return fb::ElementType::Unknown;
}

std::span<const uint8_t> data_of(const Tensor& tensor) {
  return {static_cast<const uint8_t*>(tensor.raw()), tensor.bytes()};
}

std::span<const uint8_t> data_of(const PackedConstants& packed) {
  return {static_cast<const uint8_t*>(packed.data.get()), packed.bytes};
}

constexpr uint32_t kPackedSection = 1;

/// Where elements are in the weights.
struct Placed {
  uint64_t offset = 0;
  uint32_t checksum = 0;
};

/// The elements of all constants, each once, in the order in which they are met.
class WeightsWriter {
 public:
  Placed place(const Tensor& tensor) {
    const std::span<const uint8_t> bytes = data_of(tensor);
    if (bytes.empty()) return {};
    const auto [it, is_new] = placed_.try_emplace({bytes.data(), bytes.size()});
    if (is_new) {
      const uint64_t at = saved::aligned(size_, saved::kTensorAlignment);
      it->second = {.offset = at, .checksum = saved::checksum(bytes)};
      size_ = at + bytes.size();
      list_.push_back(bytes);
    }
    return it->second;
  }
  uint64_t size() const { return size_; }
  const std::vector<std::span<const uint8_t>>& list() const { return list_; }

 private:
  std::map<std::pair<const uint8_t*, size_t>, Placed> placed_;
  std::vector<std::span<const uint8_t>> list_;
  uint64_t size_ = 0;
};

/// Builds the structure.
class StructureWriter {
 public:
  StructureWriter(const ModelInfo& info, const SavingRecord& record, std::span<const PackedConstants> packed,
                  const SavedBlocks& blocks)
      : info_(info), record_(record), packed_(packed), blocks_(blocks) {}

  /// Its bytes, which live as long as this.
  std::span<const uint8_t> build(const Graph& program) {
    graphs_ = numbered_graphs(program);
    std::vector<Offset<fb::Region>> graphs;
    for (const Graph* g : graphs_) graphs.push_back(graph(*g));
    const List<Offset<fb::Region>> all = b_.CreateVector(graphs);
    std::vector<Offset<fb::PackedWeights>> packed;
    for (const PackedConstants& p : packed_) packed.push_back(packed_weights(p));
    const List<Offset<fb::PackedWeights>> packed_list = packed.empty() ? 0 : b_.CreateVector(packed);
    std::vector<Offset<fb::Section>> sections = {fb::CreateSection(b_, text_of(saved::kWeights), 0, weights_.size())};
    if (!packed.empty()) {
      sections.push_back(fb::CreateSection(b_, text_of(saved::kPacked), packed_at(), packed_bytes_, /*optional=*/true));
    }
    const saved::BlockTables blocks = saved::write_blocks(b_, blocks_, static_cast<uint32_t>(sections.size()));
    compiled_bytes_ = blocks.bytes;
    if (compiled_bytes_ != 0) {
      sections.push_back(
          fb::CreateSection(b_, text_of(saved::kCompiled), compiled_at(), compiled_bytes_, /*optional=*/true));
    }
    const List<Offset<fb::Section>> section_list = b_.CreateVector(sections);
    std::vector<Offset<fb::Rewrites>> rewrites;
    for (const SavingRecord::Rewrites& r : record_.rewrites) {
      rewrites.push_back(fb::CreateRewrites(b_, text_of(r.pass), r.count));
    }
    const List<Offset<fb::Rewrites>> rewrite_list = b_.CreateVector(rewrites);
    const List<Offset<flatbuffers::String>> left_out = texts_of(record_.left_out);
    const List<Offset<fb::Declared>> inputs = declared(info_.inputs);
    const List<Offset<fb::Declared>> outputs = declared(info_.outputs);
    const List<Offset<fb::Declared>> parameters = declared(info_.parameters);
    b_.Finish(fb::CreateModel(b_, text_of(record_.version), text_of(record_.source), text_of(record_.source_format),
                              text_of(info_.producer), rewrite_list, left_out, inputs, outputs, parameters, all,
                              section_list, packed_list, blocks.blocks, blocks.compiled, blocks.ranges));
    check_size();
    return {b_.GetBufferPointer(), b_.GetSize()};
  }
  const WeightsWriter& weights() const { return weights_; }
  /// Bytes of all sections.
  uint64_t section_bytes() const {
    return compiled_bytes_ == 0 ? bytes_before_compiled() : compiled_at() + compiled_bytes_;
  }

 private:
  uint64_t bytes_before_compiled() const { return packed_.empty() ? weights_.size() : packed_at() + packed_bytes_; }
  uint64_t compiled_at() const { return saved::aligned(bytes_before_compiled(), saved::kSectionAlignment); }
  uint64_t packed_at() const { return saved::aligned(weights_.size(), saved::kSectionAlignment); }

  Text text_of(std::string_view s) { return b_.CreateSharedString(s.data(), s.size()); }
  List<Offset<flatbuffers::String>> texts_of(const std::vector<std::string>& list) {
    std::vector<Text> texts;
    texts.reserve(list.size());
    for (const std::string& s : list) texts.push_back(text_of(s));
    return b_.CreateVector(texts);
  }
  /// Absent where not even the rank is known.
  List<int64_t> dims_of(const Shape& shape) {
    return shape.rank_known() ? b_.CreateVector(shape.begin(), static_cast<size_t>(shape.rank())) : 0;
  }

  void check_size() const {
    require(b_.GetSize() < saved::kMostStructure, ErrorCode::kUnsupported, "the graph of the model ",
            in_quotes(info_.file), " takes more than ", counted(saved::kMostStructure, "byte"), " without its weights");
  }

  List<Offset<fb::Declared>> declared(const std::vector<TensorInfo>& list) {
    std::vector<Offset<fb::Declared>> all;
    for (const TensorInfo& t : list) {
      const Text name = text_of(t.name);
      all.push_back(fb::CreateDeclared(b_, name, type_code(t.dtype), dims_of(t.shape), t.lod_levels));
      check_size();
    }
    return b_.CreateVector(all);
  }

  Offset<fb::Value> value(const Value& v) {
    const Text name = text_of(v.name);
    return fb::CreateValue(b_, name, type_code(v.fact.dtype), dims_of(v.fact.shape), v.fact.is_array);
  }

  Offset<fb::Constant> constant(const Value& v) {
    const Tensor& tensor = *v.fact.value;
    require(!tensor.is_array(), ErrorCode::kUnsupported, "the constant ", in_quotes(v.name),
            " is a tensor array, which a saved model cannot contain");
    const Placed placed = weights_.place(tensor);
    std::vector<Offset<fb::Level>> levels;
    for (const std::vector<size_t>& level : tensor.lod()) {
      levels.push_back(fb::CreateLevel(b_, b_.CreateVector(std::vector<uint64_t>(level.begin(), level.end()))));
    }
    const Text name = text_of(v.name);
    const List<int64_t> dims = dims_of(tensor.shape());
    const List<Offset<fb::Level>> offsets = levels.empty() ? 0 : b_.CreateVector(levels);
    return fb::CreateConstant(b_, name, type_code(tensor.dtype()), dims, placed.offset, tensor.bytes(), placed.checksum,
                              offsets);
  }

  /// Collects the attributes of an operator.
  class Attributes : public AttributeVisitor {
   public:
    explicit Attributes(StructureWriter& to) : to_(to) {}
    std::vector<Offset<fb::Attribute>> list;

   protected:
    void visit(std::string_view name, std::string_view /*legacy*/, AttributeRef field) override {
      name_ = name;
      std::visit([this](auto* p) { add(*p); }, field);
    }

   private:
    flatbuffers::FlatBufferBuilder& b() { return to_.b_; }
    void add(fb::AttributeKind kind, int64_t integer, double real = 0, Text text = 0, List<int64_t> integers = 0,
             List<double> reals = 0, List<Offset<flatbuffers::String>> texts = 0) {
      const Text name = to_.text_of(name_);
      list.push_back(fb::CreateAttribute(b(), name, kind, integer, real, text, integers, reals, texts));
    }
    void add(bool v) { add(fb::AttributeKind::Integer, v ? 1 : 0); }
    void add(int v) { add(fb::AttributeKind::Integer, v); }
    void add(int64_t v) { add(fb::AttributeKind::Integer, v); }
    void add(double v) { add(fb::AttributeKind::Real, 0, v); }
    void add(const std::string& v) { add(std::string_view(v)); }
    void add(std::string_view v) { add(fb::AttributeKind::Text, 0, 0, to_.text_of(v)); }
    void add(const Ints& v) { add(fb::AttributeKind::Integers, 0, 0, 0, b().CreateVector(v)); }
    void add(const Floats& v) { add(fb::AttributeKind::Reals, 0, 0, 0, 0, b().CreateVector(v)); }
    void add(const Strings& v) { add(fb::AttributeKind::Texts, 0, 0, 0, 0, 0, to_.texts_of(v)); }
    void add(DType v) { add(name_of(v)); }
    void add(const std::optional<DType>& v) { add(v ? name_of(*v) : std::string_view()); }
    void add(const EnumRef& v) { add(v.names[static_cast<size_t>(v.value)]); }

    StructureWriter& to_;
    std::string_view name_;
  };

  /// The numbers of values in the file, by their index in the graph.
  using Numbers = std::vector<uint32_t>;

  Offset<fb::Node> node(const Graph& graph, const Node& node, const Numbers& numbers) {
    const OpSchema& schema = node.op.schema();
    Attributes attributes(*this);
    schema.visit(schema.make(node.op.attributes()).get(), attributes);
    const List<Offset<fb::Attribute>> attribute_list = b_.CreateVector(attributes.list);
    std::vector<Offset<fb::Value>> results;
    for (ValueId v : node.outputs) results.push_back(value(graph.value(v)));
    const List<Offset<fb::Value>> result_list = b_.CreateVector(results);
    std::vector<uint32_t> operands;
    for (ValueId v : node.inputs) operands.push_back(numbers[index(v)]);
    std::vector<uint32_t> regions;
    for (size_t i = 0; i < node.regions.size(); ++i) {
      regions.push_back(next_region_++);
    }
    const auto counts = [this](const PortCounts& c) {
      return b_.CreateVector(std::vector<uint32_t>(c.begin(), c.end()));
    };
    const Text name = text_of(node.name);
    const Text op = text_of(schema.name);
    const List<uint32_t> operand_list = b_.CreateVector(operands);
    const List<uint32_t> operand_counts = counts(node.input_counts);
    const List<uint32_t> result_counts = counts(node.output_counts);
    const List<uint32_t> region_list = regions.empty() ? 0 : b_.CreateVector(regions);
    const Text scope = node.scope.empty() ? 0 : text_of(node.scope);
    check_size();
    return fb::CreateNode(b_, op, name, attribute_list, operand_list, operand_counts, result_list, result_counts,
                          region_list, node.lod_from, scope);
  }

  /// Behind all graphs, whose constants are placed by then.
  [[gnu::cold]] Offset<fb::PackedWeights> packed_weights(const PackedConstants& p) {
    const auto graph = static_cast<size_t>(p.key.graph);
    std::vector<uint32_t> constants;
    std::vector<uint32_t> checksums;
    for (int32_t v : p.key.values) {
      constants.push_back(numbers_.at(graph).at(static_cast<size_t>(v)));
      checksums.push_back(weights_.place(*graphs_[graph]->fact(ValueId{v}).value).checksum);
    }
    std::vector<fb::ElementType> types;
    for (DType type : p.key.types) types.push_back(type_code(type));
    const uint64_t at = saved::aligned(packed_bytes_, saved::kTensorAlignment);
    packed_bytes_ = at + p.bytes;
    const Text layout = text_of(p.key.layout);
    const List<int64_t> parameters = b_.CreateVector(p.key.parameters);
    const List<uint32_t> constant_list = b_.CreateVector(constants);
    const List<fb::ElementType> type_list = b_.CreateVector(types);
    check_size();
    return fb::CreatePackedWeights(b_, layout, static_cast<uint32_t>(graph), parameters, kPackedSection, at, p.bytes,
                                   saved::checksum(data_of(p)), saved::checksum(checksums), constant_list, type_list);
  }

  Offset<fb::Region> graph(const Graph& graph) {
    Numbers numbers(graph.value_count());
    uint32_t next = 0;
    std::vector<Offset<fb::Value>> inputs;
    std::vector<bool> is_input(graph.value_count());
    for (ValueId v : graph.inputs()) {
      inputs.push_back(value(graph.value(v)));
      numbers[index(v)] = next++;
      is_input[index(v)] = true;
    }
    const std::vector<int>& uses = graph.use_counts();
    std::vector<Offset<fb::Constant>> constants;
    for (size_t i = 0; i < graph.value_count(); ++i) {
      const Value& v = graph.value(ValueId{static_cast<int32_t>(i)});
      if (uses[i] == 0 || is_input[i] || !v.is_constant()) continue;
      constants.push_back(constant(v));
      check_size();
      numbers[i] = next++;
    }
    std::vector<Offset<fb::Node>> nodes;
    for (NodeId id : graph.order()) {
      const Node& n = graph.node(id);
      nodes.push_back(node(graph, n, numbers));
      for (ValueId v : n.outputs) numbers[index(v)] = next++;
    }
    std::vector<uint32_t> outputs;
    for (ValueId v : graph.outputs()) outputs.push_back(numbers[index(v)]);
    numbers_.push_back(std::move(numbers));
    const List<Offset<fb::Value>> input_list = b_.CreateVector(inputs);
    const List<Offset<fb::Constant>> constant_list = b_.CreateVector(constants);
    const List<Offset<fb::Node>> node_list = b_.CreateVector(nodes);
    const List<uint32_t> output_list = b_.CreateVector(outputs);
    const List<Offset<flatbuffers::String>> names = texts_of(graph.output_names());
    return fb::CreateRegion(b_, input_list, constant_list, node_list, output_list, names);
  }

  const ModelInfo& info_;
  const SavingRecord& record_;
  flatbuffers::FlatBufferBuilder b_{size_t{64} << 10U};
  std::vector<const Graph*> graphs_;
  std::vector<Numbers> numbers_;  // by graph
  uint32_t next_region_ = 1;
  WeightsWriter weights_;
  std::span<const PackedConstants> packed_;
  uint64_t packed_bytes_ = 0;
  const SavedBlocks& blocks_;
  uint64_t compiled_bytes_ = 0;
};

}  // namespace

void write_saved_model(const std::string& path, const Graph& graph, const ModelInfo& info, const SavingRecord& record,
                       std::span<const PackedConstants> packed, const SavedBlocks& blocks, const SavedWithin& within) {
  StructureWriter structure(info, record, packed, blocks);
  const std::span<const uint8_t> built = structure.build(graph);
  saved::Head head{};
  std::memcpy(head.magic, saved::kMagic.data(), sizeof(head.magic));
  head.major = saved::kMajor;
  head.minor = saved::kMinor;
  head.head_bytes = sizeof(head);
  head.file_bytes = saved::aligned(sizeof(head) + built.size(), saved::kSectionAlignment) + structure.section_bytes();
  head.structure_bytes = built.size();
  head.structure_checksum = saved::checksum(built);
  head.operators = saved::kOperators;
  const std::span<const uint8_t> head_bytes(reinterpret_cast<const uint8_t*>(&head), sizeof(head));
  head.head_checksum = saved::checksum(head_bytes.first(offsetof(saved::Head, head_checksum)));

  const uint64_t bytes = within.before.size() + head.file_bytes;
  require(bytes <= within.most_bytes, ErrorCode::kIo, "the saved model ", in_quotes(path), " would have ",
          counted(bytes, "byte"), ", at most ", within.most_bytes, " are allowed");
  NewFile file(path, within.whom);
  file.write(within.before);
  file.write(head_bytes);
  file.write(built);
  file.pad(saved::kSectionAlignment);
  for (std::span<const uint8_t> bytes : structure.weights().list()) {
    file.pad(saved::kTensorAlignment);
    file.write(bytes);
  }
  if (!packed.empty()) file.pad(saved::kSectionAlignment);
  for (const PackedConstants& p : packed) {
    file.pad(saved::kTensorAlignment);
    file.write(data_of(p));
  }
  bool is_first = true;
  for (const SavedBlock& block : blocks.blocks) {
    for (const SavedCompiled& c : block.compiled) {
      file.pad(std::exchange(is_first, false) ? saved::kSectionAlignment : saved::kTensorAlignment);
      file.write(c.content());
    }
  }
  require(file.size() == bytes, ErrorCode::kIo, "the saved model ", in_quotes(path), " came to ",
          counted(file.size(), "byte"), ", planned were ", bytes);
  file.commit();
}

}  // namespace coracle::internal
