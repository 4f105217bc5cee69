// SPDX-License-Identifier: Apache-2.0
#include "support/hostile_operator.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <random>

#include "support/file_operator.h"
#include "support/sanitized.h"

// Files decide about attributes and operands: whatever they are, an operator infers and runs them or throws an Error.
namespace coracle::internal {
namespace {

const char* running = "";
unsigned running_seed = 0;

/// A node that hangs cannot be left in another way than by ending the process.
void on_alarm(int /*signal*/) {
  char line[200];
  const int length = std::snprintf(line, sizeof(line), "operator %s hangs with seed %u\n", running, running_seed);
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, line, static_cast<size_t>(length));
  std::abort();
}

class HostileOperator : public testing::TestWithParam<const OpSchema*> {};

TEST_P(HostileOperator, IsRefusedOrRuns) {
  constexpr unsigned kCases = test::as_time_allows(100);
  constexpr unsigned kPatienceSeconds = 60;
  std::signal(SIGALRM, on_alarm);
  running = GetParam()->name;
  for (unsigned seed = 0; seed < kCases; ++seed) {
    running_seed = seed;
    ::alarm(kPatienceSeconds);
    std::mt19937_64 random(seed);
    try {
      test::run_hostile_node(*GetParam(), [&] { return random(); });
    } catch (const std::exception& e) {
      ADD_FAILURE() << "seed " << seed << ": " << e.what();
    }
  }
  ::alarm(0);
}

INSTANTIATE_TEST_SUITE_P(All, HostileOperator, testing::ValuesIn(all_ops().begin(), all_ops().end()),
                         [](const auto& info) { return std::string(info.param->name); });

/// A tensor array is no tensor without elements, and no tensor of one.
TEST(HostileOperator, ArraysForTensorsAreRefused) {
  Fact array(DType::kFloat32, Shape::unknown_rank());
  array.is_array = true;
  for (const char* name : {"abs", "less_than", "addmm", "shape", "concat"}) {
    const OpSchema* schema = find_op(name);
    ASSERT_NE(schema, nullptr) << name;
    Graph graph;
    const ValueId x = graph.add_input("x", array);
    PortValues operands;
    for (const Port& port : schema->inputs) {
      operands.push_back(port.attribute.empty() ? std::vector<ValueId>{x} : std::vector<ValueId>{});
    }
    EXPECT_THROW(graph.add_node(Op(schema, schema->make(nullptr)), operands), Error) << name;
  }
}

/// Whoever writes a file may leave out what an operator takes.
TEST(HostileOperator, WithoutOperandsInAFileIsRefusedOrRuns) {
  for (const OpSchema* schema : all_ops()) {
    if (schema->lower == nullptr) continue;
    Graph graph;
    const PortCounts results(test::output_ports(*schema).size(), 1);
    try {
      test::lower_from_file(graph, *schema, {}, PortValues(test::input_ports(*schema).size()), results);
    } catch (const Error&) {
      continue;
    }
    for (const Port& port : schema->inputs) {
      EXPECT_TRUE(schema->infer != nullptr || port.kind != Port::Kind::kOne) << schema->name << " at " << port.name;
    }
  }
}

}  // namespace
}  // namespace coracle::internal
