// SPDX-License-Identifier: Apache-2.0
// What the layouts of packed weights are, as recorded in packed_layouts.txt, and in packed_layouts_arm.txt what 64-bit
// ARM packs: saved models keep packed bytes under a layout's name and version, so the same name must mean the same
// bytes in every build.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "devices/cpu/isa.h"
#include "run/packed_cases.h"
#include "run/session_results.h"
#include "saved/format.h"
#include "support/emulated_processor.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

namespace fs = std::filesystem;

const fs::path kTests = fs::path(CORACLE_TESTS);

/// "CASE LAYOUT PARAMETERS" and checksum.
using Record = std::map<std::string, std::string>;

#if defined(__aarch64__)
constexpr const char* kRecord = "packed_layouts_arm.txt";
#else
constexpr const char* kRecord = "packed_layouts.txt";
#endif

Record recorded(const char* name) {
  Record record;
  std::ifstream file(kTests / "run" / name);
  for (std::string line; std::getline(file, line);) {
    const size_t space = line.rfind(' ');
    if (!line.empty() && line[0] != '#') record[line.substr(0, space)] = line.substr(space + 1);
  }
  return record;
}

void add_packed(const test::Case& c, const ModelOptions& options, Record& record) {
  const auto model = test::model_of(c.graph, test::options_of(c, options));
  test::run_fresh(model, {test::random_tensor(c.shapes.at(1), 1)});
  for (const PackedConstants& p : model->program()->packed().all()) {
    std::ostringstream key;
    key << c.name << ' ' << p.key.layout << ' ';
    for (size_t i = 0; i < p.key.parameters.size(); ++i) key << (i == 0 ? "" : ",") << p.key.parameters[i];
    std::ostringstream sum;
    sum << std::hex << saved::checksum({static_cast<const uint8_t*>(p.data.get()), p.bytes});
    record[key.str()] = sum.str();
  }
}

/// That of all cases on the processor that kernels are chosen for: float32 on each of its instruction sets, and
/// products on tiles.
void add_packed(Record& record) {
  for (const test::Case& c : test::kCases) {
    for (cpu::Isa isa : {cpu::Isa::kNeon, cpu::Isa::kSse2, cpu::Isa::kAvx2, cpu::Isa::kAvx512}) {
      if (!cpu::runs_on(isa, cpu::detected_isa())) continue;
      ModelOptions options;
      options.kernels.capability = isa;
      add_packed(c, options, record);
    }
    if (cpu::detected_isa() != cpu::Isa::kAvx512 && cpu::detected_isa() != cpu::Isa::kNeon) continue;
    for (Precision precision : {Precision::kDefault, Precision::kHigh, Precision::kBf16}) {
      ModelOptions options;
      options.kernels.precision = precision;
      options.kernels.emulates_modes = true;
      options.kernels.disabled = {"cost"};
      add_packed(c, options, record);
    }
  }
}

/// The names that forms have in the source.
std::vector<std::string> names_in_source() {
  const std::regex name(R"re(kLayout\s*=\s*"([^"]*)")re");
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(kTests / ".." / "src")) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cc") continue;
    std::ifstream file(entry.path());
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator it(source.begin(), source.end(), name), end; it != end; ++it) names.push_back((*it)[1]);
  }
  return names;
}

TEST(PackedLayouts, HaveNamesWithVersionsOfTheirOwn) {
  const std::vector<std::string> names = names_in_source();
  ASSERT_GE(names.size(), 9U);
  const std::set<std::string> different(names.begin(), names.end());
  EXPECT_EQ(different.size(), names.size()) << "two forms have the same layout name";
  for (const std::string& n : names) EXPECT_TRUE(std::regex_match(n, std::regex(R"([a-z0-9_.]+\.v[1-9][0-9]*)"))) << n;
  std::set<std::string> known;
  for (const char* file : {"packed_layouts.txt", "packed_layouts_arm.txt"}) {
    for (const auto& [key, sum] : recorded(file)) {
      std::istringstream words(key);
      std::string word;
      words >> word >> word;
      known.insert(word);
    }
  }
  EXPECT_EQ(known, different) << "the records have to have a case for each layout, and no others";
}

TEST(PackedLayouts, MakeTheBytesOnRecord) {
  const Record record = recorded(kRecord);
  Record packed;
  test::on_every_processor([&] {
    Record here;
    add_packed(here);
    for (const auto& [key, sum] : here) {
      const auto [it, first] = packed.try_emplace(key, sum);
      EXPECT_EQ(it->second, sum) << key << " packs other bytes on another processor";
    }
  });
  std::string missing;
  for (const auto& [key, sum] : packed) {
    const auto it = record.find(key);
    if (it == record.end()) {
      missing += key + " " + sum + "\n";
      continue;
    }
    EXPECT_EQ(it->second, sum) << key
                               << ": what a form packs has changed. Give its layout a new version, and record it";
  }
  EXPECT_EQ(missing, "") << "add these lines to " << kRecord;
  // A line that no processor packs says nothing of the bytes that this build makes.
#if defined(__aarch64__)
  constexpr size_t kAll = 4;
#else
  constexpr size_t kAll = 7;
#endif
  if (test::emulated_processors().size() < cpu::known_processors().size() || cpu::known_processors().size() < kAll)
    return;
  for (const auto& [key, sum] : record) EXPECT_TRUE(packed.contains(key)) << key << ": nothing packs this any more";
}

}  // namespace
}  // namespace coracle::internal
