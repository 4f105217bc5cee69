// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json.h"
#include "base/system/program.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/machine.h"
#include "cli/note.h"
#include "cli/starts.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

struct BenchCommand {
  ModelArguments arguments;
  SessionArguments session_arguments;
  int repeat = 20;      ///< measured runs of each session
  double duration = 0;  ///< seconds of measuring instead; 0: `repeat` runs
  int warmup = 2;
  int sessions = 1;  ///< that run at once
  int cold = 0;      ///< processes that are started instead; 0: none
  bool json = false;
  const CLI::App* command = nullptr;

  void add_options(CLI::App* app) {
    command = app;
    add_model_options(app, arguments);
    add_session(app, session_arguments);
    CLI::Option* runs = app->add_option("--repeat", repeat, "measured runs of each session");
    runs->check(CLI::Range(1, 1000000));
    CLI::Option* seconds = app->add_option("--duration", duration, "seconds of measured runs");
    seconds->check(CLI::Range(1e-3, 1e6))->excludes(runs);
    CLI::Option* lanes = app->add_option("--sessions", sessions, "sessions that run at once and share the weights");
    lanes->check(CLI::Range(1, Interruption::kMostRuns));
    CLI::Option* before = app->add_option("--warmup", warmup, "runs before, the first included");
    before->check(CLI::Range(1, 1000000));
    app->add_option("--cold", cold, "measure so many new processes to their first answer instead")
        ->check(CLI::Range(1, 10000))
        ->excludes(runs)
        ->excludes(seconds)
        ->excludes(lanes)
        ->excludes(before);
    app->add_flag("--json", json, "print JSON");
  }
  void run() const;
};

struct Measured {
  std::string isa;
  int threads = 0;  // of each session
  int sessions = 0;
  double load_ms = 0;
  double plan_ms = 0;         // of the first run
  double first_ms = 0;        // with planning
  double answered_at_ms = 0;  // of the first run, by a clock that all processes have
  double passed_ms = 0;       // from the first measured run's start to the last one's end
  double peak_mib = 0;
  double arena_mib = 0;       // of all sessions
  std::vector<double> times;  // ms, of all sessions

  double runs_per_second() const { return static_cast<double>(times.size()) * 1e3 / std::max(passed_ms, 1e-6); }
  double mean() const {
    return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(std::max<size_t>(times.size(), 1));
  }
};

/// The times that shares of all runs stay below; of no runs zeros.
std::vector<double> percentiles(std::vector<double> times, const std::vector<double>& shares) {
  std::sort(times.begin(), times.end());
  std::vector<double> out;
  for (double share : shares) {
    const auto at = static_cast<size_t>(std::lround(share * static_cast<double>(times.size() - 1)));
    out.push_back(times.empty() ? 0 : times[at]);
  }
  return out;
}

void print_text(const Measured& m) {
  const std::vector<double> p = percentiles(m.times, {0, 0.5, 0.9, 0.99});
  fmt::print("machine   {}, {}\n", processor_name(), m.isa);
  const std::string threads = std::to_string(m.threads) + (m.threads == 1 ? " thread" : " threads");
  fmt::print("runs      {} by {}\n", m.times.size(),
             m.sessions == 1 ? "1 session of " + threads
                             : fmt::format("{} sessions at once, of {} each", m.sessions, threads));
  fmt::print("load      {:8.2f} ms\nfirst run {:8.2f} ms\n", m.load_ms, m.first_ms);
  fmt::print("min       {:8.3f} ms\nmean      {:8.3f} ms\nmedian    {:8.3f} ms\np90       {:8.3f} ms\n", p[0], m.mean(),
             p[1], p[2]);
  fmt::print("p99       {:8.3f} ms\nthroughput {:7.1f} runs/s\n", p[3], m.runs_per_second());
  fmt::print("peak      {:8.1f} MiB resident, {:.1f} MiB of it intermediate tensors\n", m.peak_mib, m.arena_mib);
}

void print_json(const ModelArguments& arguments, const Measured& m) {
  internal::JsonBuffer buffer;
  internal::JsonWriter w(buffer);
  w.StartObject();
  const std::vector<double> p = percentiles(m.times, {0, 0.5, 0.9, 0.99});
  w.field("model", printable(arguments.model));
  w.field("processor", processor_name());
  w.field("isa", m.isa);
  w.field("threads", m.threads);
  w.field("sessions", m.sessions);
  w.field("load_ms", m.load_ms);
  w.field("plan_ms", m.plan_ms);
  w.field("first_ms", m.first_ms);
  w.field("answered_at_ms", m.answered_at_ms);
  w.field("min_ms", p[0]);
  w.field("mean_ms", m.mean());
  w.field("median_ms", p[1]);
  w.field("p90_ms", p[2]);
  w.field("p99_ms", p[3]);
  w.field("runs_per_second", m.runs_per_second());
  w.field("peak_mib", m.peak_mib);
  w.field("arena_mib", m.arena_mib);
  w.list("times_ms", m.times);
  w.EndObject();
  fmt::print("{}\n", buffer.GetString());
}

/// Shows on a terminal how far measuring is, some times a second.
class RunCounter {
 public:
  /// For so many runs, or where `seconds` is not 0 for so long from `start` on.
  RunCounter(int runs, double seconds, Clock::time_point start) : all_(runs), seconds_(seconds), start_(start) {}
  ~RunCounter() {
    if (shown_) note("\r{:40}\r", "");
  }
  RunCounter(const RunCounter&) = delete;
  RunCounter& operator=(const RunCounter&) = delete;
  void show(size_t runs) {
    const Clock::time_point now = Clock::now();
    if (!terminal_ || now < next_) return;
    const std::string far =
        seconds_ > 0 ? fmt::format("{} runs, {:.1f} of {:g} s", runs, milliseconds(now - start_) / 1000, seconds_)
                     : fmt::format("{} of {} runs", runs, all_);
    note("\r{:40}", far);
    shown_ = true;
    next_ = now + std::chrono::milliseconds(100);
  }

 private:
  const bool terminal_ = internal::errors_go_to_terminal();
  const int all_;
  const double seconds_;
  const Clock::time_point start_;
  bool shown_ = false;
  Clock::time_point next_{};
};

/// How long planning takes, packing of weights included, as the library's messages say it: of what is planned while
/// this object lives.
class PlanningTime {
 public:
  PlanningTime() { coracle_set_logger(CORACLE_LOG_INFO, &PlanningTime::add, const_cast<PlanningTime*>(this)); }
  ~PlanningTime() { coracle_set_logger(CORACLE_LOG_OFF, nullptr, nullptr); }
  PlanningTime(const PlanningTime&) = delete;
  PlanningTime& operator=(const PlanningTime&) = delete;
  double milliseconds() const { return static_cast<double>(microseconds_) / 1e3; }

 private:
  static void add(void* self, coracle_log_level /*level*/, const char* message) {
    const std::string_view text = message;
    const size_t at = text.rfind(", in ");
    if (!text.starts_with("planned nodes ") || at == std::string_view::npos) return;
    static_cast<PlanningTime*>(self)->microseconds_ += std::strtoll(message + at + 5, nullptr, 10);
  }
  int64_t microseconds_ = 0;
};

/// One session's measured runs.
struct Lane {
  std::vector<double> times;
  Clock::time_point end;
  std::exception_ptr failure;
};

/// Runs until `b` has enough, `stop` is set or a run fails.
void measure(coracle::Session& session, const BenchCommand& b, Clock::time_point start, std::atomic<bool>& stop,
             RunCounter* progress, Lane& lane) {
  const auto limit = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(b.duration));
  lane.end = start;
  try {
    while (!stop.load() && (b.duration > 0 ? lane.end < limit : lane.times.size() < static_cast<size_t>(b.repeat))) {
      const Clock::time_point t = Clock::now();
      Interruption::run(session);
      lane.end = Clock::now();
      lane.times.push_back(milliseconds(lane.end - t));
      if (progress != nullptr) progress->show(lane.times.size());
    }
  } catch (...) {
    lane.failure = std::current_exception();
    stop = true;
  }
}

/// The measured runs of all sessions, each but the first in a thread of its own.
std::vector<Lane> measure(std::vector<coracle::Session>& sessions, const BenchCommand& b, Clock::time_point start) {
  std::vector<Lane> lanes(sessions.size());
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  const auto join = [&] {
    for (std::thread& t : threads) t.join();
  };
  try {
    for (size_t i = 1; i < sessions.size(); ++i) {
      threads.emplace_back([&, i] { measure(sessions[i], b, start, stop, nullptr, lanes[i]); });
    }
  } catch (...) {  // the system has no more threads
    stop = true;
    join();
    throw;
  }
  {
    RunCounter progress(b.repeat, b.duration, start);
    measure(sessions[0], b, start, stop, &progress, lanes[0]);
  }
  join();
  return lanes;
}

void BenchCommand::run() const {
  if (cold > 0) return measure_starts(*command, arguments.model, cold, json);
  const Clock::time_point start = Clock::now();
  const coracle::Model model = load(arguments);
  SessionArguments shared = session_arguments;
  // Sessions that run at once share the processors unless it is said how.
  int& threads = shared.options.threads;
  if (threads == 0) threads = std::max(coracle_default_threads() / sessions, 1);
  std::vector<coracle::Session> running;
  running.emplace_back(model, shared.options);
  Measured m;
  m.isa = arguments.options.cpu_isa.empty() ? coracle_cpu_isa() : arguments.options.cpu_isa;
  m.threads = threads;
  m.sessions = sessions;
  m.load_ms = milliseconds(Clock::now() - start);
  const std::vector<Input> inputs = read_inputs(model, session_arguments.inputs);
  while (running.size() < static_cast<size_t>(sessions)) running.push_back(running[0].clone());
  for (coracle::Session& session : running) {
    for (size_t i = 0; i < inputs.size(); ++i) set_input(session, i, inputs[i]);
    const Clock::time_point first_start = Clock::now();
    const bool is_first = &session == &running[0];
    if (!is_first) {
      Interruption::run(session);
    } else {
      // Where engines are asked for, somebody else gets the messages.
      std::optional<PlanningTime> planning;
      if (arguments.options.engines.empty()) planning.emplace();
      Interruption::run(session);
      const Clock::time_point answered = Clock::now();
      m.plan_ms = planning ? planning->milliseconds() : 0;
      m.first_ms = milliseconds(answered - first_start);
      m.answered_at_ms = milliseconds(answered.time_since_epoch());
    }
    for (int i = 1; i < warmup; ++i) Interruption::run(session);
  }
  const Clock::time_point measured_start = Clock::now();
  Clock::time_point end = measured_start;
  for (const Lane& lane : measure(running, *this, measured_start)) {
    m.times.insert(m.times.end(), lane.times.begin(), lane.times.end());
    end = std::max(end, lane.end);
    if (lane.failure != nullptr && !Interruption::happened()) std::rethrow_exception(lane.failure);
  }
  // What was measured before an interruption is told.
  if (m.times.empty()) throw Failure(ExitCode::kInterrupted, "interrupted before a run was measured");
  m.passed_ms = milliseconds(end - measured_start);
  m.peak_mib = static_cast<double>(internal::peak_resident_bytes()) / 1048576.0;
  for (const coracle::Session& session : running) {
    m.arena_mib += static_cast<double>(session.memory().arena) / 1048576.0;
  }
  if (json) {
    print_json(arguments, m);
  } else {
    print_text(m);
  }
  if (Interruption::happened()) {
    throw Failure(ExitCode::kInterrupted, duration > 0 ? fmt::format("interrupted after {} runs", m.times.size())
                                                       : fmt::format("interrupted after {} of {} runs", m.times.size(),
                                                                     static_cast<int64_t>(repeat) * sessions));
  }
}

}  // namespace

void add_bench(CLI::App& app) {
  add_command<BenchCommand>(
      app, "bench", "Measures load, first run and later runs",
      "Examples:\n"
      "  coracle bench model_dir --shape x=1,3,640,640 --threads 2\n"
      "  coracle bench inference.json --shape x=8,3,48,320 --warmup 5 --repeat 200 --json\n"
      "  coracle bench model_dir --shape x=1,3,48,320 --sessions 8 --threads 1 --duration 10     throughput\n"
      "  coracle bench model_dir --shape x=1,3,48,320 --cold 10     from the start of a process to its first answer");
}

}  // namespace coracle::cli
