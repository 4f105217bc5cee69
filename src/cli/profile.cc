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

struct Total {
  int calls = 0;
  double ms = 0;
};

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

void profile(const ModelArguments& arguments, const SessionArguments& session_arguments, int repeat,
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
  std::map<std::string, Total> totals;
  double sum = 0;
  for (const rapidjson::Value& e : events.GetArray()) {
    const double ms = static_cast<double>(e["duration_ns"].GetInt64()) / 1e6;
    Total& t = totals[std::string(e["op"].GetString()) + "  " + e["kernel"].GetString()];
    ++t.calls;
    t.ms += ms;
    sum += ms;
  }
  std::vector<std::pair<std::string, Total>> sorted(totals.begin(), totals.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.ms > b.second.ms; });
  fmt::print("{:>9}  {:>6}  {:>5}  operator and kernel\n", "ms", "share", "calls");
  for (const auto& [name, t] : sorted) {
    fmt::print("{:9.3f}  {:5.1f}%  {:5}  {}\n", t.ms, sum > 0 ? 100.0 * t.ms / sum : 0.0, t.calls, name);
  }
  fmt::print("{:9.3f}  in all, last of {} runs\n", sum, repeat);
}

}  // namespace coracle::cli
