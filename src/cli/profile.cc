// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/interrupt.h"

namespace coracle::cli {
namespace {

struct ProfileCommand {
  ModelArguments arguments;
  SessionArguments session_arguments;
  int repeat = 5;
  bool nodes = false;      ///< a line for each node instead of one for all nodes of an operator
  std::string trace_file;  ///< to write a Chrome trace to
  bool json = false;

  void add_options(CLI::App* command) {
    add_model_options(command, arguments);
    add_session(command, session_arguments);
    command->add_option("--repeat", repeat, "runs; the last one is shown")->check(CLI::Range(1, 1000000));
    command->add_flag("--nodes", nodes, "a line for each node, not for each operator");
    command->add_option("-o,--output", trace_file, "write a Chrome trace, a lane for each thread");
    command->add_flag("--json", json, "print JSON, with every call");
  }
  void run() const;
};

/// Calls, added up.
struct Total {
  int calls = 0;
  double seconds = 0;
  double flops = 0;
  double bytes = 0;
  double limit = 0;  // seconds that the machine would need at best
  double busy = 0;   // seconds of all threads on parts of loops, and of the calling one between these

  void add(const internal::JsonValue& event, const coracle_machine_limits& machine) {
    const auto f = static_cast<double>(event["flops"].GetInt64());
    const auto b = static_cast<double>(event["bytes"].GetInt64());
    ++calls;
    seconds += static_cast<double>(event["duration_ns"].GetInt64()) / 1e9;
    flops += f;
    bytes += b;
    limit += std::max(f / machine.flops_per_second, b / machine.bytes_per_second);
    int64_t busy_ns = event["duration_ns"].GetInt64() - event["waited_ns"].GetInt64();
    for (const internal::JsonValue& helper : event["helpers"].GetArray()) busy_ns += helper["busy_ns"].GetInt64();
    busy += static_cast<double>(busy_ns) / 1e9;
  }
};

/// The share of so many threads' time in which they had nothing to do.
double idle(const Total& t, int threads) { return 1 - t.busy / (std::max(t.seconds, 1e-9) * threads); }

/// A line of the table; `all` is the time of the whole run in seconds.
void print(const Total& t, double all, int threads, const std::string& name) {
  const double seconds = std::max(t.seconds, 1e-9);
  fmt::print("{:9.3f}  {:5.1f}%  {:5}  {:8.1f}  {:7.1f}  {:5.0f}%  ", t.seconds * 1e3,
             all > 0 ? 100.0 * t.seconds / all : 0.0, t.calls, t.flops / seconds / 1e9, t.bytes / seconds / 1e9,
             100.0 * t.limit / seconds);
  if (threads > 1) fmt::print("{:4.0f}%  ", 100.0 * idle(t, threads));
  fmt::print("{}\n", name);
}

/// Lanes of a trace from here on are those of devices; before are threads.
constexpr int kDeviceLanes = 10000;

struct Trace {
  std::string text;
  size_t events = 0;
  int threads = 1;
  std::vector<std::string> devices;
};

/// Chrome's trace event format, times in microseconds: a lane for each thread, in that of the calling one a complete
/// event per kernel call, in the others one per call that they helped with; and two for each device, of the calls and
/// of the copies that it worked on meanwhile.
Trace chrome_trace(const internal::JsonDocument& events) {
  Trace trace;
  internal::JsonBuffer buffer;
  internal::JsonWriter w(buffer);
  const auto begin_event = [&](const char* phase, const char* name, int thread) {
    w.StartObject();
    w.field("ph", phase);
    w.field("name", name);
    w.field("pid", 1);
    w.field("tid", thread + 1);
  };
  const auto microseconds = [&](const char* name, const internal::JsonValue& ns) {
    w.field(name, static_cast<double>(ns.GetInt64()) / 1000.0);
  };
  const auto add = [&](const internal::JsonValue& e, const internal::JsonValue& when, int thread) {
    begin_event("X", e["node"].GetString(), thread);
    w.field("cat", e["op"].GetString());
    microseconds("ts", when["start_ns"]);
    microseconds("dur", when["duration_ns"]);
    w.Key("args");
    w.StartObject();
    w.field("kernel", e["kernel"].GetString());
    w.field("output", e["output"].GetString());
    if (when.HasMember("busy_ns")) microseconds("busy_us", when["busy_ns"]);
    w.EndObject();
    w.EndObject();
    ++trace.events;
    if (thread < kDeviceLanes) trace.threads = std::max(trace.threads, thread + 1);
  };
  const auto lane_of = [&](const std::string& device) {
    const auto at = std::find(trace.devices.begin(), trace.devices.end(), device);
    const auto number = at - trace.devices.begin();
    if (at == trace.devices.end()) trace.devices.push_back(device);
    return kDeviceLanes + static_cast<int>(number);
  };
  w.StartObject();
  w.Key("traceEvents");
  w.StartArray();
  for (const internal::JsonValue& e : events.GetArray()) {
    add(e, e, e.HasMember("device") ? lane_of(e["device"].GetString()) : 0);
    for (const internal::JsonValue& helper : e["helpers"].GetArray()) add(e, helper, helper["thread"].GetInt());
  }
  const auto name_lane = [&](int lane, const std::string& name) {
    begin_event("M", "thread_name", lane);
    w.Key("args");
    w.StartObject();
    w.field("name", name);
    w.EndObject();
    w.EndObject();
  };
  for (int thread = 0; thread < trace.threads; ++thread) {
    name_lane(thread, thread == 0 ? "calling thread" : fmt::format("helper {}", thread));
  }
  for (size_t d = 0; d < trace.devices.size(); ++d) name_lane(kDeviceLanes + static_cast<int>(d), trace.devices[d]);
  w.EndArray();
  w.EndObject();
  trace.text = buffer.GetString();
  return trace;
}

using NamedTotal = std::pair<std::string, Total>;

/// `threads`: of the host, 1 where devices work, too.
void print_text(const std::vector<NamedTotal>& sorted, const Total& all, const coracle_machine_limits& machine,
                int threads, const ProfileCommand& command) {
  fmt::print("{:>9}  {:>6}  {:>5}  {:>8}  {:>7}  {:>6}  {}{}\n", "ms", "share", "calls", "GFLOP/s", "GB/s", "limit",
             threads > 1 ? " idle  " : "", command.nodes ? "operator, kernel, result and node" : "operator and kernel");
  for (const auto& [name, total] : sorted) print(total, all.seconds, threads, name);
  print(all, all.seconds, threads, fmt::format("in all, last of {} runs", command.repeat));
  fmt::print(
      "limit: the time at {:.0f} GFLOP/s of multiply-adds or {:.1f} GB/s from memory, as measured now, against the "
      "time taken\n(above 100 % where operands come from a cache)\n",
      machine.flops_per_second / 1e9, machine.bytes_per_second / 1e9);
  if (threads > 1) {
    fmt::print("idle: the share of the time of {} threads in which they had no part of a loop, or waited for it\n",
               threads);
  }
}

void write_total(internal::JsonWriter& w, const Total& t, double all, int threads) {
  const double seconds = std::max(t.seconds, 1e-9);
  w.field("calls", t.calls);
  w.field("ms", t.seconds * 1e3);
  w.field("share", all > 0 ? t.seconds / all : 0);
  w.field("flops_per_second", t.flops / seconds);
  w.field("bytes_per_second", t.bytes / seconds);
  w.field("limit", t.limit / seconds);
  if (threads > 1) w.field("idle", idle(t, threads));
}

/// The table with numbers in full, and the calls as coracle_session_profile tells them.
void print_json(const std::vector<NamedTotal>& sorted, const Total& all, const coracle_machine_limits& machine,
                int threads, const ProfileCommand& command, const std::string& calls) {
  internal::JsonBuffer buffer;
  internal::JsonWriter w(buffer);
  w.StartObject();
  w.field("runs", command.repeat);
  w.Key("machine");
  w.StartObject();
  w.field("flops_per_second", machine.flops_per_second);
  w.field("bytes_per_second", machine.bytes_per_second);
  w.EndObject();
  w.Key("total");
  w.StartObject();
  write_total(w, all, all.seconds, threads);
  w.EndObject();
  w.Key(command.nodes ? "nodes" : "operators");
  w.StartArray();
  for (const auto& [name, total] : sorted) {
    w.StartObject();
    w.field("name", name);
    write_total(w, total, all.seconds, threads);
    w.EndObject();
  }
  w.EndArray();
  w.Key("calls");
  w.RawValue(calls.c_str(), calls.size(), rapidjson::kArrayType);
  if (!command.trace_file.empty()) w.field("trace", command.trace_file);
  w.EndObject();
  fmt::print("{}\n", buffer.GetString());
}

void ProfileCommand::run() const {
  const coracle::Model model = load(arguments);
  coracle::Session session(model, session_arguments.options);
  set_inputs(model, session_arguments.inputs, session);
  Interruption::run(session);
  session.set_profiling(true);
  for (int i = 0; i < repeat; ++i) Interruption::run(session);
  internal::JsonDocument events;
  const std::string text = session.profile();
  events.Parse(text.c_str());
  const Trace trace = chrome_trace(events);
  if (!trace_file.empty()) coracle::write_file(trace_file, trace.text);
  const coracle_machine_limits machine = session.machine_limits();
  std::map<std::string, Total> totals;
  Total all;
  for (const internal::JsonValue& e : events.GetArray()) {
    std::string name = std::string(e["op"].GetString()) + "  " + e["kernel"].GetString();
    if (nodes) name += fmt::format("  {}  {}", e["output"].GetString(), e["node"].GetString());
    totals[name].add(e, machine);
    all.add(e, machine);
  }
  std::vector<NamedTotal> sorted(totals.begin(), totals.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  const int threads = trace.devices.empty() ? trace.threads : 1;
  if (json) {
    print_json(sorted, all, machine, threads, *this, text);
    return;
  }
  print_text(sorted, all, machine, threads, *this);
  if (!trace_file.empty()) {
    const size_t lanes = static_cast<size_t>(trace.threads) + trace.devices.size();
    fmt::print("{}: written, a trace of {} calls in {} lane{}, for ui.perfetto.dev or chrome://tracing\n", trace_file,
               trace.events, lanes,
               lanes == 1              ? ""
               : trace.devices.empty() ? "s, one for each thread"
                                       : "s, one for each thread and device");
  }
}

}  // namespace

void add_profile(CLI::App& app) {
  add_command<ProfileCommand>(
      app, "profile", "Measures each node",
      "Examples:\n"
      "  coracle profile model_dir --shape x=1,3,640,640\n"
      "  coracle profile model_dir --shape x=1,3,640,640 --nodes          node by node, the slowest first\n"
      "  coracle profile model_dir --shape x=1,3,640,640 -o trace.json     for chrome://tracing or ui.perfetto.dev");
}

}  // namespace coracle::cli
