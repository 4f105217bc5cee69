// SPDX-License-Identifier: Apache-2.0
// Calls of the system that fail: faults_test [--tries N] [--one STEP CALL NUMBER once|for-good] [MODEL...]
// Each step of a model's life (life.h) is taken once for each allocation, mapping, reading of a file and start of a
// thread it makes, which fails: alone, or with all that follow. Then the step has failed with an error that fits, has
// taken nothing, and succeeds when it is taken again, or it has done without what failed; later steps give the right
// answers, and at the end all is given back. Without MODEL (paths) the small models of the tests. At most N calls of a
// kind fail in each step, spread evenly; 0, the default: every one.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "faults/injection.h"
#include "faults/life.h"
#include "support/archive_writer.h"
#include "support/small_models.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {
namespace {

constexpr Call kCalls[] = {Call::kAllocation, Call::kMapping, Call::kFile, Call::kRead, Call::kThread};
constexpr size_t kMostSteps = 16;
constexpr unsigned kPatienceSeconds = 120;

struct Fault {
  size_t step = 0;
  Call call = Call::kNone;
  int64_t number = 1;
  bool for_good = false;
};

struct Tally {
  int64_t calls = 0;    ///< of the step without faults
  int64_t errors = 0;   ///< the step ended in an error and succeeded when taken again
  int64_t without = 0;  ///< the step succeeded without what failed
  int64_t wrong = 0;
};

struct Outcome {
  coracle_status status = CORACLE_OK;
  int64_t calls = 0;
  char message[1000] = "";
};

/// Takes a step in a thread of its own, which has no memory of the library's yet.
Outcome take(Life& life, const Step& step, const Fault& fault) {
  Outcome outcome;
  std::thread([&] {
    const Injection injection(fault.call, fault.number, fault.for_good);
    outcome.status = (life.*step.take)();
    std::strncpy(outcome.message, coracle_last_error(), sizeof(outcome.message) - 1);
    outcome.calls = Injection::calls();
  }).join();
  return outcome;
}

std::string complaint(const Subject& subject, const Fault& fault, const Outcome& outcome) {
  const std::string message = outcome.message;
  if (message.empty()) return "an error without a message";
  if (outcome.status == CORACLE_OUT_OF_MEMORY) return "";
  if (outcome.status != CORACLE_IO) return "error " + std::to_string(outcome.status) + ": " + message;
  if (fault.call == Call::kAllocation) return "missing memory is told as an error of a file: " + message;
  const std::filesystem::path folder = std::filesystem::path(subject.path).parent_path() / "";
  return message.find(folder.string()) != std::string::npos ? "" : "the error names no file: " + message;
}

/// A whole life with one fault; throws what is wrong. Gives the outcome of the step of the fault.
Outcome live(const Subject& subject, const Fault& fault, std::string* answers) {
  Life life(subject);
  Outcome outcome;
  for (size_t i = 0; i < steps().size(); ++i) {
    const Step& step = steps()[i];
    const Held before = held();
    Outcome taken = take(life, step, i == fault.step ? fault : Fault{});
    if (i == fault.step) {
      outcome = taken;
      if (taken.status != CORACLE_OK) {
        if (const std::string wrong = complaint(subject, fault, taken); !wrong.empty()) throw std::runtime_error(wrong);
        if (i == 0 && !(held() == before)) throw std::runtime_error("a model that was not loaded left something");
        taken = take(life, step, {});
      }
    }
    if (taken.status != CORACLE_OK) {
      throw std::runtime_error(std::string("step '") + step.name + "' without a fault: " + taken.message);
    }
    if (step.runs == Step::Runs::kNothing) continue;
    const std::string given = life.answers(step.runs == Step::Runs::kClone);
    if (answers->empty()) *answers = given;
    if (given != *answers) throw std::runtime_error(std::string("step '") + step.name + "' gave other answers");
  }
  return outcome;
}

/// Where a child process is, in memory it shares with its parent.
struct Progress {
  Fault fault;
  int64_t stride = 1;
  Tally tallies[kMostSteps];
  bool done = false;
};

void count(const Subject& subject, const Fault& fault, const std::string& wrong, Progress& progress) {
  ++progress.tallies[fault.step].wrong;
  std::printf("WRONG, --one '%s' '%s' %lld %s %s: %s\n", steps()[fault.step].name, name_of(fault.call),
              static_cast<long long>(fault.number), fault.for_good ? "for-good" : "once", subject.name.c_str(),
              wrong.c_str());
  std::fflush(stdout);
}

/// All faults of one kind from where `progress` is on.
void try_faults(const Subject& subject, int64_t tries, Progress& progress) {
  std::string answers;
  Held after;
  for (int warm = 0; warm < 3; ++warm) {
    live(subject, {}, &answers);
    after = held();
  }
  Fault& fault = progress.fault;
  for (; fault.step < steps().size(); ++fault.step) {
    Fault none = fault;
    none.number = 0;
    Tally& tally = progress.tallies[fault.step];
    const int64_t all = live(subject, none, &answers).calls;
    tally.calls = std::max(tally.calls, all);
    progress.stride = tries == 0 ? 1 : std::max<int64_t>(1, all / tries);
    for (; true; fault.for_good = true, fault.number = 1) {
      for (; fault.number <= all; fault.number += progress.stride) {
        ::alarm(kPatienceSeconds);
        try {
          const bool failed = live(subject, fault, &answers).status != CORACLE_OK;
          const Held now = held();
          if (!(now == after)) {
            const std::string leaked = "left " + std::to_string(now.blocks - after.blocks) + " blocks, " +
                                       std::to_string(now.mappings - after.mappings) + " mappings, " +
                                       std::to_string(now.files - after.files) + " files";
            after = now;
            throw std::runtime_error(leaked);
          }
          ++(failed ? tally.errors : tally.without);
        } catch (const std::exception& e) {
          count(subject, fault, e.what(), progress);
        }
      }
      if (fault.for_good) break;
    }
    fault.for_good = false;
    fault.number = 1;
  }
  progress.done = true;
}

/// The same in processes that may crash: the faults after the one that did are tried in another.
void try_in_children(const Subject& subject, Call call, int64_t tries, Progress& progress) {
  progress = {};
  progress.fault.call = call;
  while (!progress.done) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        try_faults(subject, tries, progress);
      } catch (const std::exception& e) {
        std::printf("WRONG: %s without faults: %s\n", subject.name.c_str(), e.what());
        std::fflush(stdout);
        ::_exit(1);
      }
      std::fflush(stdout);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (progress.done) return;
    if (!WIFSIGNALED(status)) {
      ++progress.tallies[0].wrong;
      return;
    }
    count(subject, progress.fault, std::string("crashed: ") + ::strsignal(WTERMSIG(status)), progress);
    progress.fault.number += progress.stride;
  }
}

std::string file_name(const ModelBytes& bytes) { return bytes.program.starts_with("{") ? "m.json" : "m.pdmodel"; }

Subject on_disk(const TemporaryFolder& folder, const ModelBytes& bytes, const std::string& name) {
  Subject subject{.name = name, .path = folder.write(name + "/" + file_name(bytes), bytes.program), .inputs = {}};
  if (!bytes.params.empty()) folder.write(name + "/m.pdiparams", bytes.params);
  subject.inputs = bytes.inputs;
  return subject;
}

std::vector<Subject> small_subjects(const TemporaryFolder& folder) {
  std::vector<Subject> all;
  for (const ModelBytes& bytes : small_program_models()) all.push_back(on_disk(folder, bytes, bytes.name));
  // Found in a folder, with a file for each parameter.
  const ModelBytes product = product_model();
  folder.write("product/__model__", product.program);
  folder.write("product/w", product.params);
  all.push_back({.name = product.name, .path = folder.path("product"), .inputs = product.inputs});
  const ArchivedFiles archived{{"net/m.pdmodel", product.program}, {"net/m.pdiparams", product.params}};
  const auto add_archive = [&](const std::string& name, const std::string& bytes) {
    all.push_back({.name = name, .path = folder.write("archives/" + name, bytes), .inputs = product.inputs});
  };
  add_archive("m.tar", tar_archive(archived));
  add_archive("m.tar.gz", gzipped(tar_archive(archived)));
  add_archive("m.zip", zip_archive(archived, true));
  for (const ModelBytes& bytes : small_pir_models()) all.push_back(on_disk(folder, bytes, "pir_" + bytes.name));
  return all;
}

void add(const Progress& progress, Tally& all) {
  for (const Tally& t : progress.tallies) {
    all.calls += t.calls;
    all.errors += t.errors;
    all.without += t.without;
    all.wrong += t.wrong;
  }
}

void print_row(const Subject& subject, const char* what, const char* where, const Tally& t) {
  if (t.calls + t.errors + t.without + t.wrong == 0) return;
  std::printf("| %s | %s | %s | %lld | %lld | %lld | %lld | %lld |\n", subject.name.c_str(), what, where,
              static_cast<long long>(t.calls), static_cast<long long>(t.errors + t.without + t.wrong),
              static_cast<long long>(t.errors), static_cast<long long>(t.without), static_cast<long long>(t.wrong));
}

/// Tries all faults of all kinds with each subject and prints what came of them. True if nothing was wrong.
bool try_all(const std::vector<Subject>& subjects, int64_t tries) {
  void* shared = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("no memory to share");
  auto& progress = *static_cast<Progress*>(shared);
  std::printf("| model | what fails | step | calls | faults | ended in errors | succeeded anyway | wrong |\n");
  std::printf("|---|---|---|---:|---:|---:|---:|---:|\n");
  std::vector<Tally> totals(subjects.size());
  int64_t wrong = 0;
  for (size_t s = 0; s < subjects.size(); ++s) {
    for (Call call : kCalls) {
      try_in_children(subjects[s], call, tries, progress);
      for (size_t i = 0; i < steps().size(); ++i) {
        print_row(subjects[s], name_of(call), steps()[i].name, progress.tallies[i]);
      }
      add(progress, totals[s]);
    }
    wrong += totals[s].wrong;
  }
  for (size_t s = 0; s < subjects.size(); ++s) print_row(subjects[s], "all", "all", totals[s]);
  return wrong == 0;
}

int usage() {
  std::fprintf(stderr, "usage: faults_test [--tries N] [--one STEP CALL NUMBER once|for-good] [MODEL...]\n");
  return 2;
}

/// The small model of that name, or the one at that path.
Subject chosen(const std::vector<Subject>& small, const std::string& model) {
  const auto known = std::find_if(small.begin(), small.end(), [&](const Subject& s) { return s.name == model; });
  constexpr int64_t kSize = 32;
  return known != small.end() ? *known
                              : with_inputs({.name = std::filesystem::path(model).filename(), .path = model}, kSize);
}

int main_guarded(int argc, char** argv) {
  const TemporaryFolder folder;
  const std::vector<Subject> small = small_subjects(folder);
  std::vector<Subject> subjects;
  int64_t tries = 0;
  Fault one;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--tries" && i + 1 < argc) {
      tries = std::strtoll(argv[++i], nullptr, 10);
    } else if (argument == "--one" && i + 4 < argc) {
      while (one.step < steps().size() && std::strcmp(steps()[one.step].name, argv[i + 1]) != 0) ++one.step;
      for (Call call : kCalls) one.call = std::strcmp(name_of(call), argv[i + 2]) == 0 ? call : one.call;
      if (one.step == steps().size() || one.call == Call::kNone) return usage();
      one.number = std::strtoll(argv[i + 3], nullptr, 10);
      one.for_good = std::strcmp(argv[i + 4], "for-good") == 0;
      i += 4;
    } else if (argument.starts_with("--")) {
      return usage();
    } else {
      subjects.push_back(chosen(small, argv[i]));
    }
  }
  if (subjects.empty()) subjects = small;
  if (one.call == Call::kNone) return try_all(subjects, tries) ? 0 : 1;
  for (const Subject& subject : subjects) {
    std::string answers;
    live(subject, {}, &answers);
    const Outcome outcome = live(subject, one, &answers);
    std::printf("%s: status %d, %s\n", subject.name.c_str(), static_cast<int>(outcome.status), outcome.message);
  }
  return 0;
}

}  // namespace
}  // namespace coracle::internal::test

int main(int argc, char** argv) {
  try {
    return coracle::internal::test::main_guarded(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "faults_test: %s\n", e.what());
    return 2;
  }
}
