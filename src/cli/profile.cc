// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cli/commands.h"
#include "cli/file.h"

namespace coracle::cli {
namespace {

/// Calls, added up.
struct Total {
  int calls = 0;
  double seconds = 0;
  double flops = 0;
  double bytes = 0;
  double limit = 0;  // seconds that the machine would need at best

  void add(const rapidjson::Value& event, const coracle_machine_limits& machine) {
    const auto f = static_cast<double>(event["flops"].GetInt64());
    const auto b = static_cast<double>(event["bytes"].GetInt64());
    ++calls;
    seconds += static_cast<double>(event["duration_ns"].GetInt64()) / 1e9;
    flops += f;
    bytes += b;
    limit += std::max(f / machine.flops_per_second, b / machine.bytes_per_second);
  }
};

/// A line of the table; `all` is the time of the whole run in seconds.
void print(const Total& t, double all, const std::string& name) {
  const double seconds = std::max(t.seconds, 1e-9);
  fmt::print("{:9.3f}  {:5.1f}%  {:5}  {:8.1f}  {:7.1f}  {:5.0f}%  {}\n", t.seconds * 1e3,
             all > 0 ? 100.0 * t.seconds / all : 0.0, t.calls, t.flops / seconds / 1e9, t.bytes / seconds / 1e9,
             100.0 * t.limit / seconds, name);
}

/// Chrome's trace event format: one complete event per kernel call, times in microseconds.
std::string chrome_trace(const rapidjson::Document& events) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> w(buffer);
  w.StartObject();
  w.Key("traceEvents");
  w.StartArray();
  for (const rapidjson::Value& e : events.GetArray()) {
    w.StartObject();
    w.Key("name");
    w.String(e["node"].GetString());
    w.Key("cat");
    w.String(e["op"].GetString());
    w.Key("ph");
    w.String("X");
    w.Key("ts");
    w.Double(static_cast<double>(e["start_ns"].GetInt64()) / 1000.0);
    w.Key("dur");
    w.Double(static_cast<double>(e["duration_ns"].GetInt64()) / 1000.0);
    w.Key("pid");
    w.Int(1);
    w.Key("tid");
    w.Int(1);
    w.Key("args");
    w.StartObject();
    w.Key("kernel");
    w.String(e["kernel"].GetString());
    w.Key("output");
    w.String(e["output"].GetString());
    w.EndObject();
    w.EndObject();
  }
  w.EndArray();
  w.EndObject();
  return buffer.GetString();
}

}  // namespace

void profile(const ModelArguments& arguments, const SessionArguments& session_arguments, int repeat, bool nodes,
             const std::string& trace) {
  const api::Model model(arguments.model, arguments.params, arguments.options);
  api::Session session(model, session_arguments.options);
  set_inputs(model, session_arguments.inputs, session);
  session.run();
  session.set_profiling(true);
  for (int i = 0; i < repeat; ++i) session.run();
  rapidjson::Document events;
  const std::string text = session.profile();
  events.Parse(text.c_str());
  if (!trace.empty()) write_file(trace, chrome_trace(events));
  const coracle_machine_limits machine = session.machine_limits();
  std::map<std::string, Total> totals;
  Total all;
  for (const rapidjson::Value& e : events.GetArray()) {
    std::string name = std::string(e["op"].GetString()) + "  " + e["kernel"].GetString();
    if (nodes) name += fmt::format("  {}  {}", e["output"].GetString(), e["node"].GetString());
    totals[name].add(e, machine);
    all.add(e, machine);
  }
  std::vector<std::pair<std::string, Total>> sorted(totals.begin(), totals.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  fmt::print("{:>9}  {:>6}  {:>5}  {:>8}  {:>7}  {:>6}  {}\n", "ms", "share", "calls", "GFLOP/s", "GB/s", "limit",
             nodes ? "operator, kernel, result and node" : "operator and kernel");
  for (const auto& [name, total] : sorted) print(total, all.seconds, name);
  print(all, all.seconds, fmt::format("in all, last of {} runs", repeat));
  fmt::print(
      "limit: the time at {:.0f} GFLOP/s of multiply-adds or {:.1f} GB/s from memory, as measured now, against the "
      "time taken\n(above 100 % where operands come from a cache)\n",
      machine.flops_per_second / 1e9, machine.bytes_per_second / 1e9);
}

}  // namespace coracle::cli
