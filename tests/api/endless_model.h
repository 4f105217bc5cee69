// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/program_writer.h"
#include "support/small_models.h"

namespace coracle::internal::test {

/// A run of it with an input below 1 does not end: while (i < 1) { i = i + 0 }
inline ModelBytes endless_model() {
  BlockWriter main;
  add_feed(main, "i", kFloat32, {1}, 0);
  main.variables.push_back(variable("go", kBool, {1}));
  main.operators.push_back(
      OpWriter("fill_constant").out("Out", {"n"}).integers("shape", {1}).integer("dtype", 5).real("value", 1));
  main.operators.push_back(OpWriter("less_than").in("X", {"i"}).in("Y", {"n"}).out("Out", {"go"}));
  main.operators.push_back(
      OpWriter("while").in("X", {"i", "n"}).in("Condition", {"go"}).out("Out", {"i", "go"}).block("sub_block", 1));
  add_fetch(main, "i", 0);
  BlockWriter body{.index = 1, .parent = 0, .variables = {}, .operators = {}};
  body.operators.push_back(OpWriter("increment").in("X", {"i"}).out("Out", {"i"}).real("step", 0));
  body.operators.push_back(OpWriter("less_than").in("X", {"i"}).in("Y", {"n"}).out("Out", {"go"}));
  return {"endless", program_file({main, body}), "", {}};
}

}  // namespace coracle::internal::test
