// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

/// Sizes of a batch of sequences, each planned for itself, of one model.
namespace coracle::internal::test {

/// An encoder for sequences of any length.
inline std::string encoder_text(int layers, int64_t width) {
  std::string lines = "graph (%x \"x\": float32[?, ?, " + std::to_string(width) + "]) {\n";
  int seed = 0;
  const auto weight = [&](const std::string& name, int64_t rows, int64_t columns) {
    lines += text("  @", name, ": float32[", rows, ", ", columns, "] = random(", ++seed, ")\n");
  };
  const auto line = [&](const std::string& of) { lines += "  " + of + "\n"; };
  line(text("@heads: int64[4] = {0, 0, 4, ", width / 4, "}"));
  line(text("@flat: int64[3] = {0, 0, ", width, "}"));
  std::string x = "x";
  for (int layer = 0; layer < layers; ++layer) {
    const auto name = [&](const char* of) { return of + std::to_string(layer); };
    for (const char* part : {"q", "k", "v", "o"}) weight(name(part) + "w", width, width);
    weight(name("uw"), width, 4 * width);
    weight(name("dw"), 4 * width, width);
    for (const char* part : {"q", "k", "v"}) {
      line(text("%", name(part), "p = matmul(%", x, ", @", name(part), "w)"));
      line(text("%", name(part), "r = reshape(%", name(part), "p, @heads)"));
      line(text("%", name(part), " = transpose(%", name(part), "r) {perm = [0, 2, 1, 3]}"));
    }
    line(text("%", name("m"), " = attention(%", name("q"), ", %", name("k"), ", %", name("v"), ") {scale = 0.125}"));
    line(text("%", name("mt"), " = transpose(%", name("m"), ") {perm = [0, 2, 1, 3]}"));
    line(text("%", name("mr"), " = reshape(%", name("mt"), ", @flat)"));
    line(text("%", name("o"), " = matmul(%", name("mr"), ", @", name("o"), "w)"));
    line(text("%", name("s"), " = add(%", x, ", %", name("o"), ")"));
    line(text("%", name("n"), " = layer_norm(%", name("s"), ", _, _) {begin_norm_axis = 2}"));
    line(text("%", name("u"), " = matmul(%", name("n"), ", @", name("uw"), ")"));
    line(text("%", name("g"), " = gelu(%", name("u"), ")"));
    line(text("%", name("d"), " = matmul(%", name("g"), ", @", name("dw"), ")"));
    line(text("%", name("t"), " = add(%", name("n"), ", %", name("d"), ")"));
    line(text("%", name("y"), " = layer_norm(%", name("t"), ", _, _) {begin_norm_axis = 2}"));
    x = name("y");
  }
  return lines + "  return %" + x + " \"y\"\n}";
}

/// 40: batches of 1 to 10, of 32, 64, 96 or 128 steps; the largest comes first.
inline std::vector<Shape> size_buckets(int64_t width) {
  std::vector<Shape> all;
  for (int64_t batch = 10; batch >= 1; --batch) {
    for (int64_t length = 128; length >= 32; length -= 32) all.push_back({batch, length, width});
  }
  return all;
}

/// What a session and its model hold when each size has run, but for weights that are as in the file.
inline size_t bytes_of_runs(const std::shared_ptr<const Model>& model, const std::vector<Shape>& sizes) {
  Session session(model, {.threads = 1});
  for (const Shape& size : sizes) run(session, {random_tensor(size, 1)});
  const Session::Memory memory = session.memory();
  const Program& program = *model->program();
  EXPECT_EQ(program.steps().plans_made(), sizes.size());
  return memory.arena + memory.device + program.steps().bytes() + program.packed().bytes() + program.device_bytes();
}

}  // namespace coracle::internal::test
