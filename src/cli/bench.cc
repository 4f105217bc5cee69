// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/interrupt.h"

namespace coracle::cli {
namespace {

double milliseconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

double percentile(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  const auto at = static_cast<size_t>(std::lround(share * static_cast<double>(times.size() - 1)));
  return times[at];
}

struct Measured {
  double load_ms = 0;
  double first_ms = 0;
  double peak_mib = 0;
  double arena_mib = 0;
  std::vector<double> times;  // ms
};

void print_text(const Measured& m) {
  fmt::print(
      "load      {:8.2f} ms\nfirst run {:8.2f} ms\nmin       {:8.3f} ms\nmedian    {:8.3f} ms\np99       {:8.3f} "
      "ms\n",
      m.load_ms, m.first_ms, percentile(m.times, 0), percentile(m.times, 0.5), percentile(m.times, 0.99));
  fmt::print("peak      {:8.1f} MiB resident, {:.1f} MiB of it intermediate tensors\n", m.peak_mib, m.arena_mib);
}

void print_json(const ModelArguments& arguments, const SessionArguments& session_arguments, const Measured& m) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> w(buffer);
  w.StartObject();
  const auto number = [&](const char* name, double value) {
    w.Key(name);
    w.Double(value);
  };
  w.Key("model");
  w.String(arguments.model.c_str());
  w.Key("isa");
  w.String(arguments.options.cpu_isa.empty() ? coracle_cpu_isa() : arguments.options.cpu_isa.c_str());
  w.Key("threads");
  const int threads = session_arguments.options.threads;
  w.Int(threads > 0 ? threads : coracle_default_threads());
  number("load_ms", m.load_ms);
  number("first_ms", m.first_ms);
  number("min_ms", percentile(m.times, 0));
  number("median_ms", percentile(m.times, 0.5));
  number("p99_ms", percentile(m.times, 0.99));
  number("peak_mib", m.peak_mib);
  number("arena_mib", m.arena_mib);
  w.Key("times_ms");
  w.StartArray();
  for (double t : m.times) w.Double(t);
  w.EndArray();
  w.EndObject();
  fmt::print("{}\n", buffer.GetString());
}

}  // namespace

size_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

void bench(const ModelArguments& arguments, const SessionArguments& session_arguments, const BenchArguments& b) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const Interruption interruption;
  const api::Model model(arguments.model, arguments.params, Interruption::interruptible(arguments.options));
  api::Session session(model, session_arguments.options);
  Measured measured;
  measured.load_ms = milliseconds(Clock::now() - start);
  set_inputs(model, session_arguments.inputs, session);
  const Clock::time_point first_start = Clock::now();
  Interruption::run(session);
  measured.first_ms = milliseconds(Clock::now() - first_start);
  for (int i = 1; i < b.warmup; ++i) Interruption::run(session);
  std::vector<double>& times = measured.times;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  try {
    for (int i = 0; i < b.repeat; ++i) {
      const Clock::time_point t = Clock::now();
      Interruption::run(session);
      times.push_back(milliseconds(Clock::now() - t));
      if (terminal) fmt::print(stderr, "\r{}/{}", i + 1, b.repeat);
    }
  } catch (const std::exception&) {  // what was measured is told
    if (!Interruption::happened() || times.empty()) throw;
  }
  if (terminal) fmt::print(stderr, "\r            \r");
  measured.peak_mib = static_cast<double>(peak_resident_bytes()) / 1048576.0;
  measured.arena_mib = static_cast<double>(session.memory().arena) / 1048576.0;
  if (b.json) {
    print_json(arguments, session_arguments, measured);
  } else {
    print_text(measured);
  }
  if (measured.times.size() < static_cast<size_t>(b.repeat)) {
    throw Failure(ExitCode::kInterrupted,
                  fmt::format("interrupted after {} of {} runs", measured.times.size(), b.repeat));
  }
}

}  // namespace coracle::cli
