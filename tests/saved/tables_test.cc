// SPDX-License-Identifier: Apache-2.0
#include "saved/tables.h"

#include <flatbuffers/flatbuffers.h>

#include <cstddef>
#include <random>

#include "saved/schema_generated.h"
#include "saved/structure.h"
#include "support/memory_file.h"

/// Tables that FlatBuffers' own code writes, read by ours.
namespace coracle::internal::saved {
namespace {

namespace fb = saved_file;

std::vector<uint8_t> bytes_of(const flatbuffers::FlatBufferBuilder& b) {
  return {b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize()};
}

/// A model of one graph with a node that has one attribute of each kind of field.
std::vector<uint8_t> small_model() {
  flatbuffers::FlatBufferBuilder b;
  const auto attribute = fb::CreateAttribute(
      b, b.CreateString("axes"), fb::AttributeKind::Integers, -5, 2.5, b.CreateString("text"),
      b.CreateVector(std::vector<int64_t>{3, -4}), b.CreateVector(std::vector<double>{0.5, 0.25, 8}),
      b.CreateVector(std::vector<flatbuffers::Offset<flatbuffers::String>>{b.CreateString("a"), b.CreateString("")}));
  const auto result = fb::CreateValue(b, b.CreateString("y"), fb::ElementType::Int16,
                                      b.CreateVector(std::vector<int64_t>{1, -1}), true);
  const auto node =
      fb::CreateNode(b, b.CreateString("add"), b.CreateString("add_0"), b.CreateVector(std::vector{attribute}),
                     b.CreateVector(std::vector<uint32_t>{0, 1}), 0, b.CreateVector(std::vector{result}));
  const auto graph = fb::CreateRegion(b, 0, 0, b.CreateVector(std::vector{node}));
  const auto section =
      fb::CreateSection(b, b.CreateString("weights"), uint64_t{1} << 40U, (uint64_t{1} << 40U) + 3, true);
  const auto graphs = b.CreateVector(std::vector{graph});
  const auto sections = b.CreateVector(std::vector{section});
  const auto version = b.CreateString("1.0");
  fb::ModelBuilder model(b);
  model.add_version(version);
  model.add_graphs(graphs);
  model.add_sections(sections);
  b.Finish(model.Finish());
  return bytes_of(b);
}

TEST(SavedTables, AreReadAsFlatBuffersDoes) {
  const std::vector<uint8_t> bytes = small_model();
  const tables::Model model{FlatBytes(bytes)};
  EXPECT_EQ(model.version(), "1.0");
  EXPECT_EQ(model.source(), "");
  EXPECT_EQ(model.inputs().size(), 0U);
  ASSERT_EQ(model.graphs().size(), 1U);
  const tables::Region graph = model.graphs()[0];
  EXPECT_FALSE(graph.outputs().present());
  ASSERT_EQ(graph.nodes().size(), 1U);
  const tables::Node node = graph.nodes()[0];
  EXPECT_EQ(node.operator_(), "add");
  EXPECT_EQ(node.name(), "add_0");
  EXPECT_EQ(node.operands().all(), (std::vector<uint32_t>{0, 1}));
  EXPECT_FALSE(node.operand_counts().present());
  EXPECT_EQ(node.lod_from(), -1);  // its default
  const tables::Attribute attribute = node.attributes()[0];
  EXPECT_EQ(attribute.name(), "axes");
  EXPECT_EQ(attribute.kind(), tables::AttributeKind::kIntegers);
  EXPECT_EQ(attribute.integer(), -5);
  EXPECT_EQ(attribute.real(), 2.5);
  EXPECT_EQ(attribute.text(), "text");
  EXPECT_EQ(attribute.integers().all(), (std::vector<int64_t>{3, -4}));
  EXPECT_EQ(attribute.reals().all(), (std::vector<double>{0.5, 0.25, 8}));
  ASSERT_EQ(attribute.texts().size(), 2U);
  EXPECT_EQ(attribute.texts()[0], "a");
  EXPECT_EQ(attribute.texts()[1], "");
  const tables::Value value = node.results()[0];
  EXPECT_EQ(value.type(), tables::ElementType::kInt16);
  EXPECT_EQ(value.dims().all(), (std::vector<int64_t>{1, -1}));
  EXPECT_TRUE(value.array());
  const tables::Section section = model.sections()[0];
  EXPECT_EQ(section.offset(), uint64_t{1} << 40U);
  EXPECT_EQ(section.bytes(), (uint64_t{1} << 40U) + 3);
  EXPECT_TRUE(section.optional());
}

/// All that a reader would look at.
size_t walked(const tables::Model& model) {
  size_t bytes = model.version().size();
  const FlatList<tables::Region> graphs = model.graphs();
  for (uint32_t g = 0; g < std::min(graphs.size(), 4U); ++g) {
    const FlatList<tables::Node> nodes = graphs[g].nodes();
    for (uint32_t n = 0; n < std::min(nodes.size(), 4U); ++n) {
      const tables::Node node = nodes[n];
      bytes += node.operator_().size() + node.name().size() + node.operands().all().size();
      const FlatList<tables::Attribute> attributes = node.attributes();
      for (uint32_t a = 0; a < std::min(attributes.size(), 4U); ++a) {
        bytes += attributes[a].text().size() + attributes[a].reals().all().size();
        const FlatList<std::string_view> texts = attributes[a].texts();
        for (uint32_t t = 0; t < std::min(texts.size(), 4U); ++t) bytes += texts[t].size();
      }
    }
  }
  return bytes;
}

TEST(SavedTables, OfDamagedBytesAreRefusedOrLieWithinThem) {
  const std::vector<uint8_t> whole = small_model();
  std::mt19937 random(11);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    // Exactly as many bytes as there are, so that a sanitizer sees what reads beyond them.
    std::vector<uint8_t> bytes(
        whole.begin(),
        i % 3 == 0 ? whole.begin() + static_cast<std::ptrdiff_t>(random() % (whole.size() + 1)) : whole.end());
    for (int c = 0; c < i % 4 && !bytes.empty(); ++c) bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    const std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), exact.get());
    try {
      EXPECT_LE(walked(tables::Model(FlatBytes({exact.get(), bytes.size()}))), 40 * whole.size());
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

/// The file of a structure without weights.
std::string file_of(std::span<const uint8_t> structure) {
  Head head{};
  std::memcpy(head.magic, kMagic.data(), kMagic.size());
  head.major = kMajor;
  head.head_bytes = sizeof(head);
  head.structure_bytes = structure.size();
  head.file_bytes = aligned(sizeof(head) + structure.size(), kSectionAlignment);
  head.structure_checksum = checksum(structure);
  head.operators = kOperators;
  head.head_checksum = checksum({reinterpret_cast<const uint8_t*>(&head), offsetof(Head, head_checksum)});
  std::string file(head.file_bytes, '\0');
  std::memcpy(file.data(), &head, sizeof(head));
  std::memcpy(file.data() + sizeof(head), structure.data(), structure.size());
  return file;
}

TEST(SavedTables, ThatShareTheirPartsAreRefused) {
  for (const uint32_t times : {2U, 400U}) {
    flatbuffers::FlatBufferBuilder b;
    const std::vector attributes(times, fb::CreateAttribute(b, b.CreateString("a")));
    const auto list = b.CreateVector(attributes);
    const std::vector nodes(times, fb::CreateNode(b, b.CreateString("add"), b.CreateString("n"), list));
    const auto graph = fb::CreateRegion(b, 0, 0, b.CreateVector(nodes));
    const auto graphs = b.CreateVector(std::vector{graph});
    const auto sections = b.CreateVector(std::vector{fb::CreateSection(b, b.CreateString("weights"))});
    fb::ModelBuilder model(b);
    model.add_graphs(graphs);
    model.add_sections(sections);
    b.Finish(model.Finish());
    const std::string file = file_of({b.GetBufferPointer(), b.GetSize()});
    try {
      read_structure(File(test::memory_file(file)));
      EXPECT_EQ(times, 2U) << "they are read";
    } catch (const Error& e) {
      EXPECT_EQ(times, 400U) << e.text();
      EXPECT_NE(e.text().find("tables that share their parts"), std::string::npos) << e.text();
    }
  }
}

}  // namespace
}  // namespace coracle::internal::saved
