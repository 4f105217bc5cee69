// SPDX-License-Identifier: Apache-2.0
// Runs the cases that the real Paddle answered (pack.py) through the public C++ interface and compares: with graph
// passes, without them, and with narrower instruction sets. Results must not depend on the number of threads, nor on
// what ran before in a session: the runs of a case are runs of one session, and the first one comes again at the end;
// cases of one model that follow each other share one as well.
//
// Environment: CORACLE_ORACLE_DIR, another folder of archives than the sample and the reduced programs;
// CORACLE_ORACLE_OP, only this operator.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "archive.h"
#include "coracle/coracle.hpp"
#include "difference.h"

namespace coracle::oracle {
namespace {

constexpr size_t kShown = 3;  // failures of one operator that are printed

struct Variant {
  const char* name;
  coracle::ModelOptions model;
  int threads;
};

std::vector<Variant> variants() {
  coracle::ModelOptions plain, unchanged, narrow, middle;
  unchanged.disable_passes = "all";
  narrow.cpu_isa = "sse2";
  middle.cpu_isa = "avx2";
  std::vector<Variant> all{{"", plain, 1}, {"without passes", unchanged, 1}};
  const std::string widest = coracle_cpu_isa();  // what the plain one takes
  if (widest != "avx2" && widest != "sse2") all.push_back({"with avx2", middle, 1});
#ifndef CORACLE_WITHOUT_SSE2
  if (widest != "sse2") all.push_back({"with sse2", narrow, 1});
#endif
  return all;
}

struct Tally {
  size_t cases = 0;
  size_t failed = 0;
  double worst = 0;
  std::vector<std::string> reasons;
};

void set_inputs(const Run& run, const coracle::Model& model, coracle::Session& session) {
  const std::vector<coracle::TensorInfo> infos = model.inputs();
  for (const Input& input : run.inputs) {
    size_t index = 0;
    while (index < infos.size() && infos[index].name != input.name) ++index;
    if (index == infos.size()) continue;  // an input that no operator of the program reads
    session.set_input(index, dtype_of_code(input.array.type), input.array.dims, input.array.data.data());
    session.set_lod(index, input.lod);
  }
}

bool same_bits(const coracle::View& a, const coracle::View& b) {
  return a.dims() == b.dims() && a.bytes() == b.bytes() &&
         (a.bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0);
}

// The reason why the outputs of a run are not Paddle's, or nothing.
std::string compare_outputs(const Run& run, const coracle::Session& session, double& worst) {
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    const Difference difference = compare(session.output(i), run.outputs[i]);
    worst = std::max(worst, difference.worst);
    if (!difference.reason.empty()) return "output " + std::to_string(i) + ": " + difference.reason;
  }
  return {};
}

// A session for cases of one model that follow each other.
class SharedSession {
 public:
  // The reason why a case fails in the session that earlier ones ran in, or nothing.
  std::string run(const Case& c, double& worst) {
    try {
      if (session_ == nullptr || c.model != bytes_ || c.params != params_) {
        session_.reset();
        bytes_ = c.model;
        params_ = c.params;
        model_ = std::make_unique<coracle::Model>(bytes_, params_);
        session_ = std::make_unique<coracle::Session>(*model_, coracle::SessionOptions{.threads = 2});
      }
      for (const Run& run : c.runs) {
        set_inputs(run, *model_, *session_);
        session_->run();
        if (std::string reason = compare_outputs(run, *session_, worst); !reason.empty()) return reason;
      }
      return {};
    } catch (const std::exception& error) {
      return error.what();
    }
  }

 private:
  Bytes bytes_;
  Bytes params_;
  std::unique_ptr<coracle::Model> model_;
  std::unique_ptr<coracle::Session> session_;
};

// The reason why a case fails, or nothing.
std::string run_case(const Case& c, const Variant& variant, double& worst) {
  try {
    const coracle::Model model(c.model, c.params, variant.model);
    coracle::Session session(model, {.threads = variant.threads});
    std::optional<coracle::Session> wide;
    if (variant.name[0] == '\0') wide.emplace(model, coracle::SessionOptions{.threads = 3});
    for (size_t i = 0; i < c.runs.size() + (c.runs.size() > 1 ? 1 : 0); ++i) {
      const Run& run = c.runs[i % c.runs.size()];
      set_inputs(run, model, session);
      session.run();
      if (std::string reason = compare_outputs(run, session, worst); !reason.empty()) {
        return c.runs.size() > 1 ? "run " + std::to_string(i) + ": " + reason : reason;
      }
      if (!wide) continue;
      set_inputs(run, model, *wide);
      wide->run();
      for (size_t output = 0; output < run.outputs.size(); ++output) {
        if (!same_bits(session.output(output), wide->output(output))) return "other bits with three threads";
      }
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

// The lines "FORMAT/OP reason" and "FORMAT/CASE reason" of known.txt: what is not expected to agree.
std::set<std::string> known_differences() {
  std::set<std::string> known;
  std::ifstream file(CORACLE_ORACLE_SOURCE "/known.txt");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') known.insert(line.substr(0, line.find(' ')));
  }
  return known;
}

void add_case(const Case& c, SharedSession& shared, Tally& tally) {
  ++tally.cases;
  const auto fails = [&](const char* how, const std::string& reason) {
    if (reason.empty()) return false;
    ++tally.failed;
    if (tally.reasons.size() < kShown) tally.reasons.push_back(c.name + " " + how + ": " + reason);
    return true;
  };
  for (const Variant& variant : variants()) {
    if (fails(variant.name, run_case(c, variant, tally.worst))) return;
  }
  fails("in a session with other cases", shared.run(c, tally.worst));
}

void run_archive(const std::string& path) {
  const char* only = std::getenv("CORACLE_ORACLE_OP");
  const std::set<std::string> known = known_differences();
  SharedSession shared;
  std::map<std::string, Tally> tallies;  // by FORMAT/OP, or FORMAT/CASE for a known case
  for (const Case& c : read_cases(path)) {
    if (only != nullptr && c.op != only) continue;
    const std::string op = c.name.substr(0, c.name.find('/')) + "/" + c.op;
    add_case(c, shared, tallies[known.contains(c.name) ? c.name : op]);
  }
  for (const auto& [name, tally] : tallies) {
    printf("  %-58s %4zu cases, %4zu failed, worst error %.3f of the tolerance\n", name.c_str(), tally.cases,
           tally.failed, tally.worst);
    if (known.contains(name)) {
      if (tally.failed == 0) printf("  %s agrees: its line in known.txt can go\n", name.c_str());
      continue;
    }
    std::string all;
    for (const std::string& reason : tally.reasons) all += "\n    " + reason;
    EXPECT_EQ(tally.failed, 0U) << name << all;
  }
}

class Archive : public testing::Test {
 public:
  explicit Archive(std::string path) : path_(std::move(path)) {}
  void TestBody() override { run_archive(path_); }

 private:
  std::string path_;
};

}  // namespace
}  // namespace coracle::oracle

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* given = std::getenv("CORACLE_ORACLE_DIR");
  const std::string source = CORACLE_ORACLE_SOURCE;
  std::vector<std::string> folders{source + "/sample", source + "/reduced"};
  if (given != nullptr) folders = {given};
  std::map<std::string, std::filesystem::path> archives;  // by name of the test
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".gz") archives[entry.path().stem().stem().string()] = entry.path();
    }
  }
  if (archives.empty()) {
    fprintf(stderr, "no cases in %s\n", folders[0].c_str());
    return 1;
  }
  for (const auto& [name, archive] : archives) {
    const std::string path = archive.string();
    testing::RegisterTest("Oracle", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [path]() -> testing::Test* { return new coracle::oracle::Archive(path); });
  }
  return RUN_ALL_TESTS();
}
