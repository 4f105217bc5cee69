// SPDX-License-Identifier: Apache-2.0
// The bad-use grid over all operators: hostile_test [--all] [--seeds N] [OPERATOR...]
// Each use of an operator that is wrong in one place ends in results or in an Error, in bounded time. Without --all a
// fixed sample of the grid.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hostile/grid.h"
#include "support/sanitized.h"

namespace coracle::internal {
namespace {

char running[400] = "";

/// A use that crashes or hangs says which it was.
void on_signal(int signal) {
  char line[500];
  const int length = std::snprintf(line, sizeof(line), "signal %d (14: it hangs) in %s\n", signal, running);
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, line, static_cast<size_t>(length));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Counts {
  int64_t operators = 0;
  int64_t uses = 0;
  int64_t without_base = 0;  ///< operators of which no node was found that runs
  int64_t least = INT64_MAX;
  int64_t wrong = 0;
  double slowest_seconds = 0;
  std::string slowest;
};

/// Every how many uses the sample takes one; a prime, so that it meets all kinds.
constexpr int64_t kSampleStep = 7;
/// The same of operators: under sanitizers the search for nodes that run takes most of the time.
constexpr size_t kOperatorStep = 4 / test::as_time_allows(4);
/// Operators of which the grid has fewer uses are told.
constexpr int64_t kExpectedUses = 60;
/// Longer uses are told: no reference and no run may take longer than its limit (support/hostile_operator.cc).
constexpr double kSlowSeconds = 2;

void try_operator(const OpSchema& schema, unsigned seeds, bool all, Counts& counts) {
  constexpr unsigned kPatienceSeconds = 30;
  int64_t uses = 0;
  bool runs = false;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    std::snprintf(running, sizeof(running), "%s, seed %u, looking for a node that runs", schema.name, seed);
    ::alarm(10 * kPatienceSeconds);
    const test::BaseNode base = test::base_node(schema, seed);
    runs = runs || base.runs;
    int64_t number = 0;
    test::for_each_bad_use(base.node, [&](const test::BadUse& use) {
      ++uses;
      if (!all && number++ % kSampleStep != 0) return;
      std::snprintf(running, sizeof(running), "%s, seed %u, %s", schema.name, seed, use.name.c_str());
      ::alarm(kPatienceSeconds);
      const auto start = std::chrono::steady_clock::now();
      try {
        use.facts.empty() ? static_cast<void>(test::run_hostile_node(use.node)) : test::infer_bad_use(use);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", running, e.what());
        ++counts.wrong;
      }
      ++counts.uses;
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      if (taken.count() > kSlowSeconds) std::printf("%.1f s: %s\n", taken.count(), running);
      if (taken.count() > counts.slowest_seconds) counts.slowest_seconds = taken.count(), counts.slowest = running;
    });
  }
  ::alarm(0);
  ++counts.operators;
  counts.without_base += runs ? 0 : 1;
  counts.least = std::min(counts.least, uses);
  if (uses < kExpectedUses) std::printf("%s: only %lld uses\n", schema.name, static_cast<long long>(uses));
}

int run(int argc, char** argv) {
  bool all = false;
  unsigned seeds = 1;
  std::vector<std::string_view> names;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--all") {
      all = true;
    } else if (argument == "--seeds" && i + 1 < argc) {
      seeds = static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10));
    } else if (argument.starts_with("-") || find_op(argument) == nullptr) {
      std::fprintf(stderr, "usage: hostile_test [--all] [--seeds N] [OPERATOR...]; there is no %s\n", argv[i]);
      return 2;
    } else {
      names.push_back(argument);
    }
  }
  for (int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) std::signal(signal, on_signal);
  Counts counts;
  size_t number = 0;
  for (const OpSchema* schema : all_ops()) {
    if (!names.empty() && std::find(names.begin(), names.end(), schema->name) == names.end()) continue;
    if (names.empty() && !all && number++ % kOperatorStep != 0) continue;
    try_operator(*schema, seeds, all, counts);
  }
  std::printf(
      "%lld operators, %lld bad uses tried; %lld operators without a node that runs; at least %lld uses each; "
      "%lld wrong\n",
      static_cast<long long>(counts.operators), static_cast<long long>(counts.uses),
      static_cast<long long>(counts.without_base), static_cast<long long>(counts.least),
      static_cast<long long>(counts.wrong));
  std::printf("the slowest took %.2f s: %s\n", counts.slowest_seconds, counts.slowest.c_str());
  return counts.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace coracle::internal

int main(int argc, char** argv) { return coracle::internal::run(argc, argv); }
