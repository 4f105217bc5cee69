// SPDX-License-Identifier: Apache-2.0
#include "model/missing_operator.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "graph/op.h"
#include "model/program_control.h"

namespace coracle::internal {
namespace {

TEST(MissingOperators, AreNeitherHereNorNamedTwice) {
  std::set<std::string> seen;
  for (const MissingOperators& group : missing_operators()) {
    std::istringstream names(group.names);
    std::string before;
    for (std::string name; names >> name; before = name) {
      EXPECT_EQ(find_op(name), nullptr) << name << " is here: take it off the list";
      EXPECT_EQ(find_legacy_op(name), nullptr) << name << " is here: take it off the list";
      EXPECT_FALSE(is_handled_by_reader(name)) << name;
      EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
      EXPECT_LT(before, name) << "names are not in order";
    }
  }
  EXPECT_GT(seen.size(), 200U);
}

TEST(MissingOperators, HaveTheReasonOfTheirGroup) {
  for (const MissingOperators& group : missing_operators()) {
    std::istringstream names(group.names);
    for (std::string name; names >> name;) EXPECT_STREQ(missing_operator(name), group.reason) << name;
  }
  EXPECT_STREQ(missing_operator("conv2d_grad"), "it belongs to training");
  EXPECT_STREQ(missing_operator("sparse_relu"), "its operands are sparse tensors");
  EXPECT_STREQ(missing_operator("fc_xpu"), "Paddle has it for other devices than CPUs");
}

TEST(MissingOperators, WhatPaddleDoesNotHaveIsCustom) {
  // The second and third are parts of names that Paddle has.
  for (const char* name : {"custom_relu2", "adam adamax", "listen_and", ""}) {
    const std::string reason = missing_operator(name);
    EXPECT_NE(reason.find("neither Paddle 2.6 nor 3.3 has it: a custom operator (PD_BUILD_OP)"), std::string::npos)
        << name << ": " << reason;
  }
}

TEST(MissingOperators, OperatorsOfOneFormatAloneSayWhich) {
  EXPECT_NE(std::string(missing_operator("reshape2")).find("older format"), std::string::npos);
  EXPECT_NE(std::string(missing_operator("lu_solve")).find("Paddle 3"), std::string::npos);
}

}  // namespace
}  // namespace coracle::internal
