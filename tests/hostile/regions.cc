// SPDX-License-Identifier: Apache-2.0
#include "hostile/regions.h"

#include "ops/control/if.h"
#include "ops/control/while.h"

namespace coracle::internal::test {
namespace {

Tensor numbers(DType dtype, const Shape& shape, int64_t value) {
  Tensor t = Tensor::make(dtype, shape);
  const std::vector<int64_t> values(static_cast<size_t>(t.count()), value);
  t.assign(std::span<const int64_t>(values));
  return t;
}

/// How a region differs from one that fits.
struct Difference {
  const char* name;
  int inputs = 0;                 ///< more, or fewer
  int results = 0;                ///< more, or fewer
  DType first = DType::kFloat32;  ///< type of the first carried or captured value inside
  Shape shape = {2, 3};           ///< its shape
  bool condition = false;         ///< what a `while` goes on with
};

/// Takes `inputs` values and gives those from `from` on, as many as `results`; a `while` also its condition.
std::shared_ptr<Graph> region(const Difference& d, bool loop, int inputs, int results) {
  auto graph = std::make_shared<Graph>();
  std::vector<ValueId> values;
  for (int i = 0; i < inputs + d.inputs; ++i) {
    const bool first = i == (loop ? 1 : 0);
    const DType dtype = loop && i == 0 ? DType::kBool : first ? d.first : DType::kFloat32;
    values.push_back(graph->add_input(text("in", i), Fact(dtype, first ? d.shape : Shape::unknown_rank())));
  }
  if (loop) graph->add_output(graph->add_constant(numbers(DType::kBool, {1}, d.condition ? 1 : 0)), "condition");
  const size_t from = loop ? 1 : 0;
  for (int i = 0; i < results + d.results; ++i) {
    const size_t at = from + static_cast<size_t>(i);
    const ValueId value = at < values.size() ? values[at] : graph->add_constant(numbers(DType::kFloat32, {1 + i}, 1));
    graph->add_output(value, text("out", i));
  }
  return graph;
}

std::vector<std::shared_ptr<Graph>> regions_of(const OpSchema& schema, const PortCounts& in_counts,
                                               const PortCounts& out_counts, const Difference& d) {
  const bool loop = &schema == while_op;
  int inputs = 0;
  for (size_t p = loop ? 0 : 1; p < in_counts.size(); ++p) inputs += in_counts[p];
  std::vector<std::shared_ptr<Graph>> regions;
  for (int r = 0; r < schema.regions; ++r) {
    regions.push_back(region(r == 0 ? d : Difference{.name = ""}, loop, inputs, out_counts[0]));
  }
  return regions;
}

}  // namespace

HostileNode node_with_regions(const OpSchema& schema) {
  HostileNode node;
  node.schema = &schema;
  node.attributes = schema.make(nullptr);
  node.in_counts = &schema == while_op ? PortCounts{1, 2, 1} : PortCounts{1, 3};
  node.out_counts = {2};
  node.operands = {numbers(DType::kBool, {1}, 1), numbers(DType::kFloat32, {2, 3}, 1), numbers(DType::kFloat32, {4}, 2),
                   numbers(DType::kFloat32, {2, 2}, 3)};
  node.constant.assign(node.operands.size(), false);
  node.regions = regions_of(schema, node.in_counts, node.out_counts, {.name = ""});
  return node;
}

std::vector<BadRegions> bad_regions(const HostileNode& node) {
  std::vector<BadRegions> all;
  if (node.schema->regions == 0) return all;
  const Difference differences[] = {
      {.name = "a region without a result", .results = -1},
      {.name = "a region without results", .results = -2},
      {.name = "a region with a result too many", .results = 1},
      {.name = "a region with many results", .results = 100},
      {.name = "a region that takes fewer values", .inputs = -1},
      {.name = "a region that takes more values", .inputs = 1},
      {.name = "a region that takes another type", .first = DType::kInt64},
      {.name = "a region that takes another size", .shape = {3, 2}},
      {.name = "a region that takes another number of dimensions", .shape = {6}},
      {.name = "a region whose condition stays", .condition = true},
  };
  for (const Difference& d : differences) {
    all.push_back({d.name, regions_of(*node.schema, node.in_counts, node.out_counts, d)});
  }
  return all;
}

}  // namespace coracle::internal::test
