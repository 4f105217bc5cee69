// SPDX-License-Identifier: Apache-2.0
// Each case of cases.txt through each interface that can express it: the status and what the message says are those of
// the table, and the interface works on.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "misuse/interface.h"
#include "paddle/paddle_models.h"
#include "support/program_writer.h"

namespace coracle::internal::test {

MisuseModels::MisuseModels() {
  const auto write = [&](const std::string& name, const std::string& program, const std::string& params) {
    folder_.write(name + "/inference.pdmodel", program);
    folder_.write(name + "/inference.pdiparams", params);
  };
  const ModelBytes product = product_model();
  write("product", product.program, product.params);
  write("bad_program", product.program.substr(0, product.program.size() / 2), product.params);
  write("bad_params", product.program, product.params.substr(0, product.params.size() / 2));
  const ModelBytes reader = reader_model();
  write("reader", reader.program, reader.params);
  BlockWriter b;
  add_feed(b, "x", kFloat32, {-1, 2}, 0);
  b.variables.push_back(variable("fetch", 0, {}, true, 10));
  b.variables.push_back(variable("y", kFloat32, {-1, 2}));
  b.operators.push_back(OpWriter("wish").in("X", {"x"}).out("Out", {"y"}));
  b.operators.push_back(OpWriter("fetch").in("X", {"y"}).out("Out", {"fetch"}).integer("col", 0));
  write("unknown_operator", program_file({b}), "");
  std::filesystem::create_directory(folder("empty"));
}

namespace {

/// Rows of cases.txt: case, then per interface "status: part of the message", or "-: why not".
struct Row {
  std::string name;
  std::map<std::string, Answer> answers;
};

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(' ');
  return first == std::string::npos ? "" : s.substr(first, s.find_last_not_of(' ') + 1 - first);
}

std::vector<Row> table() {
  std::ifstream file(CORACLE_MISUSE_CASES);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      rows.push_back({trimmed(line), {}});
      continue;
    }
    const size_t bar = line.find('|');
    const size_t colon = line.find(':', bar);
    if (rows.empty() || bar == std::string::npos || colon == std::string::npos) {
      throw std::runtime_error("cases.txt: " + line);
    }
    rows.back().answers[trimmed(line.substr(0, bar))] = {trimmed(line.substr(bar + 1, colon - bar - 1)),
                                                         trimmed(line.substr(colon + 1))};
  }
  return rows;
}

void check(const std::string& name, const Interface& tested) {
  const MisuseModels models;
  size_t shown = 0;
  for (const Row& row : table()) {
    const auto wanted = row.answers.find(name);
    ASSERT_NE(wanted, row.answers.end()) << row.name << ": cases.txt does not say what " << name << " answers";
    const auto made = tested.cases.find(row.name);
    if (wanted->second.status == "-") {
      EXPECT_EQ(made, tested.cases.end()) << row.name << ": cases.txt says that " << name << " cannot";
      continue;
    }
    ASSERT_NE(made, tested.cases.end()) << row.name << " is not shown through " << name;
    const Answer answer = made->second(models);
    EXPECT_EQ(answer.status, wanted->second.status) << row.name << " through " << name << ": " << answer.text;
    EXPECT_NE(answer.text.find(wanted->second.text), std::string::npos)
        << row.name << " through " << name << ": " << answer.text;
    EXPECT_TRUE(tested.still_answers(models)) << "after " << row.name << " through " << name;
    ++shown;
  }
  EXPECT_EQ(shown, tested.cases.size()) << "cases.txt lacks a case";
}

TEST(MisuseTable, C) { check("c", c_interface()); }
TEST(MisuseTable, Cpp) { check("cpp", cpp_interface()); }
TEST(MisuseTable, Paddle) { check("paddle", paddle_interface()); }
TEST(MisuseTable, PaddleC) { check("paddle_c", paddle_c_interface()); }

}  // namespace
}  // namespace coracle::internal::test
