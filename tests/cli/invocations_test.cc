// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "files.h"
#include "program.h"
#include "support/npy.h"

// The table of wrong uses of the program, tests/misuse/invocations.txt: each ends with its exit code, one message that
// has the parts listed, and no results.
namespace coracle {
namespace {

struct Invocation {
  std::string line;
  int code = 0;
  std::vector<std::string> parts;
};

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string piece; std::getline(in, piece, separator);) {
    if (!trimmed(piece).empty()) out.push_back(trimmed(piece));
  }
  return out;
}

/// A line of arguments, then an indented one of exit code and parts of the message, separated by "|".
std::vector<Invocation> read_table() {
  std::ifstream file(CORACLE_INVOCATIONS);
  std::vector<Invocation> table;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      table.push_back({line, 0, {}});
      continue;
    }
    std::vector<std::string> fields = split(line, '|');
    table.back().code = std::stoi(fields.at(0));
    table.back().parts.assign(fields.begin() + 1, fields.end());
  }
  return table;
}

/// What stands in braces in the table.
class Places {
 public:
  Places() {
    std::filesystem::create_directory(folder_.path("empty"));
    values_ = {{"{product}", test::write_model(folder_, test::product_model())},
               {"{picture}", test::write_model(folder_, test::picture_model())},
               {"{folder}", folder_.path()},
               {"{empty}", folder_.path("empty")},
               {"{missing}", folder_.path("missing")},
               {"{text}", folder_.write("text.npy", "hello")},
               {"{x}", folder_.path("x.npy")},
               {"{int}", folder_.path("int.npy")}};
    test::write_npy(values_["{x}"], Tensor::of<float>({1, 2}, std::vector<float>{1, 2}));
    test::write_npy(values_["{int}"], Tensor::of<int64_t>({1, 2}, std::vector<int64_t>{1, 2}));
  }
  std::string filled(std::string text) const {
    for (const auto& [name, value] : values_) {
      for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
        text.replace(at, name.size(), value);
      }
    }
    return text;
  }

 private:
  const test::TemporaryFolder folder_;
  std::map<std::string, std::string> values_;
};

TEST(Invocations, EachHasItsMessageAndExitCode) {
  const std::vector<Invocation> table = read_table();
  EXPECT_GE(table.size(), 100U);
  const Places places;
  for (const Invocation& invocation : table) {
    std::vector<std::string> parts;
    for (const std::string& part : invocation.parts) parts.push_back(places.filled(part));
    EXPECT_FALSE(parts.empty()) << invocation.line;
    std::vector<std::string> arguments = split(places.filled(invocation.line), ' ');
    arguments.erase(arguments.begin());  // "coracle"
    test::expect_failure(arguments, invocation.code, parts);
  }
}

}  // namespace
}  // namespace coracle
