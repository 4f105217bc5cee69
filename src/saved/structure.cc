// SPDX-License-Identifier: Apache-2.0
#include "saved/structure.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/counted.h"
#include "base/error.h"
#include "base/pages.h"
#include "base/printable.h"
#include "graph/op.h"

namespace coracle::internal::saved {
namespace {

void read_exactly(const File& file, uint64_t offset, std::span<uint8_t> to, std::string_view what) {
  const size_t got = file.read(offset, to);
  require(got == to.size(), ErrorCode::kInvalidModel, "it ends within ", what, ": ", counted(to.size(), "byte"),
          " from byte ", offset, " on, found ", got);
}

void check_head(const Head& head, const File& file) {
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(&head), offsetof(Head, head_checksum));
  // The version stands where all versions have it.
  require(head.major <= kMajor, ErrorCode::kUnsupported, "its format is ", head.major, ".", head.minor,
          ", this version of Coracle reads up to ", kMajor,
          ": use the Coracle that wrote it or a later one, or save the "
          "original model with this one");
  require(checksum(bytes) == head.head_checksum, "its first ", counted(sizeof(head), "byte"),
          " are damaged: the checksum is ", checksum(bytes), ", expected ", head.head_checksum);
  require(head.major == kMajor, ErrorCode::kUnsupported, "its format is ", head.major, ".", head.minor,
          ", which no Coracle writes");
  require(head.operators <= kOperators, ErrorCode::kUnsupported, "its operators are of version ", head.operators,
          ", this version of Coracle has those up to ", kOperators,
          ": use the Coracle that wrote it or a later one, or save the original model with this one");
  require(head.file_bytes == file.size(), "it has ", counted(file.size(), "byte"), ", and its head says ",
          head.file_bytes, file.size() < head.file_bytes ? ": it was cut short" : "");
  require(head.head_bytes >= sizeof(head) && head.head_bytes % sizeof(uint64_t) == 0 &&
              head.head_bytes <= head.file_bytes && head.structure_bytes <= head.file_bytes - head.head_bytes &&
              head.structure_bytes < kMostStructure,
          "its structure cannot have ", counted(head.structure_bytes, "byte"), " from byte ", head.head_bytes, " on");
}

/// Counts the tables of lists, where lists may share them. A table and what refers to it take 8 bytes at least: more
/// than that many are the same ones again and again, whose number no size of a file bounds.
class TableCount {
 public:
  explicit TableCount(size_t bytes) : left_(bytes / 8 + 1) {}

  template <class T>
  const FlatList<T>& of(const FlatList<T>& list) {
    require(list.size() <= left_, "its structure has tables that share their parts");
    left_ -= list.size();
    return list;
  }
  void of_graph(const tables::Region& graph) {
    of(graph.inputs());
    const FlatList<tables::Constant> constants = of(graph.constants());
    for (uint32_t i = 0; i < constants.size(); ++i) of(constants[i].levels());
    const FlatList<tables::Node> nodes = of(graph.nodes());
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      const FlatList<tables::Attribute> attributes = of(nodes[i].attributes());
      for (uint32_t a = 0; a < attributes.size(); ++a) of(attributes[a].texts());
      of(nodes[i].results());
    }
  }

 private:
  size_t left_;
};

/// Refuses structures that are larger than their bytes.
void check_tables(const tables::Model& model, size_t bytes) {
  TableCount count(bytes);
  const FlatList<tables::Region> graphs = count.of(model.graphs());
  for (uint32_t i = 0; i < graphs.size(); ++i) count.of_graph(graphs[i]);
}

/// Finds the sections that are known here, and refuses what must not be passed over.
void find_sections(Structure& s) {
  const FlatList<tables::Section> sections = s.model().sections();
  const uint64_t start = aligned(s.head.head_bytes + s.head.structure_bytes, kSectionAlignment);
  for (uint32_t i = 0; i < sections.size(); ++i) {
    const tables::Section section = sections[i];
    const bool is_weights = i == 0 && section.name() == kWeights;
    const bool is_packed = i != 0 && section.name() == kPacked;
    const bool is_compiled = i != 0 && section.name() == kCompiled;
    require(is_weights || is_packed || is_compiled || section.optional(), ErrorCode::kUnsupported, "it has a section ",
            in_quotes(section.name()), " that this version of Coracle does not know");
    if (!is_weights && !is_packed && !is_compiled) continue;
    const uint64_t space = s.head.file_bytes - std::min(start, s.head.file_bytes);
    require(section.offset() % kSectionAlignment == 0 && section.offset() <= space &&
                section.bytes() <= space - section.offset(),
            is_weights ? "its weights" : (is_packed ? "its packed weights" : "its compiled blocks"), " cannot have ",
            counted(section.bytes(), "byte"), " from byte ", section.offset(), " of ", space, " on");
    (is_weights ? s.weights : (is_packed ? s.packed : s.compiled)) = {
        .at = start + section.offset(), .bytes = section.bytes(), .number = i};
  }
}

std::vector<TensorInfo> declared(const FlatList<tables::Declared>& list) {
  std::vector<TensorInfo> all;
  all.reserve(list.size());
  for (uint32_t i = 0; i < list.size(); ++i) {
    const tables::Declared d = list[i];
    const DType dtype = dtype_of(d.type());
    require(dtype != DType::kUnknown, "it declares ", in_quotes(d.name()), " without an element type");
    all.push_back(
        {.name = printable(d.name()), .dtype = dtype, .shape = shape_of(d.dims()), .lod_levels = d.lod_levels()});
  }
  return all;
}

}  // namespace

DType dtype_of(tables::ElementType type) {
  switch (type) {
#define CORACLE_ROW(enumerator, cpp, kind, c, name, size, var_type, pir, saved) \
  case tables::ElementType::k##saved: return DType::enumerator;
    CORACLE_DTYPES(CORACLE_ROW)
#undef CORACLE_ROW
    case tables::ElementType::kUnknown: return DType::kUnknown;
  }
  fail(ErrorCode::kInvalidModel, "it has an element type of number ", static_cast<int>(type));
}

Shape shape_of(const FlatNumbers<int64_t>& dims) {
  if (!dims.present()) return Shape::unknown_rank();
  require(dims.size() <= static_cast<uint32_t>(Shape::kMaxRank), "it has a tensor of ",
          counted(dims.size(), "dimension"), ", at most ", Shape::kMaxRank, " are possible");
  Shape shape;
  for (int64_t d : dims.all()) {
    require(d >= 0 || d == Shape::kUnknown, "it has a dimension ", d);
    shape.push_back(d);
  }
  if (shape.known()) shape.count();  // refuses what no memory holds
  return shape;
}

Structure read_structure(const File& file) {
  Structure s;
  read_exactly(file, 0, {reinterpret_cast<uint8_t*>(&s.head), sizeof(s.head)}, "its head");
  check_head(s.head, file);
  const auto size = static_cast<size_t>(s.head.structure_bytes);
  s.bytes.resize(size);
  const std::span<uint8_t> bytes(s.bytes);
  read_exactly(file, s.head.head_bytes, bytes, "its structure");
  require(checksum(bytes) == s.head.structure_checksum, "its structure is damaged: the checksum of bytes ",
          s.head.head_bytes, " to ", s.head.head_bytes + size, " is ", checksum(bytes), ", expected ",
          s.head.structure_checksum);
  check_tables(s.model(), size);
  find_sections(s);
  return s;
}

[[gnu::cold]] SectionBytes read_section(const File& file, const Structure::Section& section, std::string_view what) {
  if (const FileBytes* memory = file.in_place()) {
    return {.owner = memory->owner, .data = memory->bytes.data() + section.at, .mapped = memory->mapped};
  }
  const auto pages = std::make_shared<Pages>(section.bytes);
  const std::span<uint8_t> to(reinterpret_cast<uint8_t*>(pages->data()), section.bytes);
  const size_t got = file.read(section.at, to);
  require(got == section.bytes, ErrorCode::kIo, "it was cut short while it was read: its ", what, " have ",
          counted(section.bytes, "byte"), " from byte ", section.at, " on, found ", got, " of them");
  file.require_unchanged();
  return {.owner = pages, .data = to.data(), .mapped = false};
}

ModelInfo info_of(const Structure& structure, const std::string& file, const OperatorSet& operators) {
  const tables::Model model = structure.model();
  ModelInfo info;
  info.file = file;
  info.format = "Coracle";
  info.producer = printable(model.producer());
  info.inputs = declared(model.inputs());
  info.outputs = declared(model.outputs());
  info.parameters = declared(model.parameters());
  std::map<std::string_view, int64_t> times_of;
  for (uint32_t g = 0; g < model.graphs().size(); ++g) {
    const FlatList<tables::Node> nodes = model.graphs()[g].nodes();
    for (uint32_t i = 0; i < nodes.size(); ++i) ++times_of[nodes[i].operator_()];
  }
  for (const auto& [name, times] : times_of) {
    info.operators.push_back({printable(name), times});
    const OpSchema* schema = operators.find(name);
    if (schema != nullptr && schema->infer != nullptr) continue;
    info.unsupported.push_back(
        {printable(name), times,
         left_out_operator("this version of Coracle has no such operator, and none of that name is registered")});
  }
  SavingRecord& record = info.saved.emplace();
  record.version = printable(model.version());
  record.major = structure.head.major;
  record.minor = structure.head.minor;
  record.operators = structure.head.operators;
  record.source = printable(model.source());
  record.source_format = printable(model.source_format());
  for (uint32_t i = 0; i < model.rewrites().size(); ++i) {
    const tables::Rewrites r = model.rewrites()[i];
    record.rewrites.push_back({printable(r.pass()), r.count()});
  }
  for (uint32_t i = 0; i < model.left_out().size(); ++i) {
    record.left_out.push_back(printable(model.left_out()[i]));
  }
  record.blocks = model.blocks().size();
  record.compiled = model.compiled().size();
  return info;
}

}  // namespace coracle::internal::saved
