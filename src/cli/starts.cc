// SPDX-License-Identifier: Apache-2.0
#include "cli/starts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/system/child.h"
#include "base/system/environment.h"
#include "base/system/program.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/machine.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

/// Parts of the time from the start of a process to its first answer, in order.
enum StartPart : size_t { kStart, kLoad, kPlan, kFirstRun, kAnswer, kStartParts };
constexpr std::array<std::string_view, kStartParts> kStartPartNames = {"start", "load", "plan", "first run", "answer"};
constexpr std::array<const char*, kStartParts> kStartPartFields = {"start_ms", "load_ms", "plan_ms", "first_run_ms",
                                                                   "answer_ms"};

/// The words of a process that measures itself: those of this one without what only this one does.
std::vector<std::string> words_of_start(const CLI::App& command) {
  std::vector<std::string> words = {internal::own_program(), command.get_name(), "--json", "--warmup=1", "--repeat=1"};
  std::vector<std::string> places;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    const std::vector<std::string>& names = option->get_lnames();
    if (names.empty()) {
      places.insert(places.end(), option->results().begin(), option->results().end());
      continue;
    }
    const std::string& name = names.front();
    if (name == "cold" || name == "json") continue;
    const bool is_flag = option->get_expected_max() == 0;
    for (const std::string& value : option->results()) {
      words.push_back(is_flag ? "--" + name : fmt::format("--{}={}", name, value));
    }
  }
  words.emplace_back("--");
  words.insert(words.end(), places.begin(), places.end());
  return words;
}

/// What a process that failed said, without its name in front.
std::string said_by(internal::Child& child) {
  std::string said = child.messages();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  constexpr std::string_view kName = "coracle: ";
  return said.starts_with(kName) ? said.substr(kName.size()) : said;
}

struct Started {
  std::array<double, kStartParts> ms{};
  std::string isa;
  int threads = 0;
};

Started start_once(const std::vector<std::string>& words) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::minutes kPatience{10};
  if (Interruption::happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
  const double begin = std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
  internal::Child child(words, internal::Child::Pipe::kOutput);
  if (child.error() != 0) {
    throw Failure(ExitCode::kIo, fmt::format("cannot start {}: {}", words.front(), std::strerror(child.error())));
  }
  std::string printed;
  std::array<char, 4096> part{};
  while (const size_t got = child.read(part.data(), part.size(), kPatience)) printed.append(part.data(), got);
  const int status = child.finish();
  if (Interruption::happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
  if (status != 0) {
    if (status > 0) throw Failure(static_cast<ExitCode>(status), said_by(child));
    throw Failure(ExitCode::kRunFailure, "the process that was started " + internal::how_ended(status));
  }
  internal::JsonDocument reply;
  reply.Parse(printed.c_str());
  if (reply.HasParseError() || !reply.IsObject() || !reply.HasMember("answered_at_ms")) {
    throw Failure(ExitCode::kRunFailure, "the process that was started printed no times");
  }
  Started started;
  started.isa = reply["isa"].GetString();
  started.threads = reply["threads"].GetInt();
  started.ms[kAnswer] = reply["answered_at_ms"].GetDouble() - begin;
  started.ms[kLoad] = reply["load_ms"].GetDouble();
  started.ms[kPlan] = reply["plan_ms"].GetDouble();
  started.ms[kFirstRun] = reply["first_ms"].GetDouble() - started.ms[kPlan];
  started.ms[kStart] = started.ms[kAnswer] - started.ms[kLoad] - reply["first_ms"].GetDouble();
  return started;
}

double median_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

void measure_starts(const CLI::App& command, const std::string& model, int count, bool json) {
  const std::vector<std::string> words = words_of_start(command);
  start_once(words);  // files come into the system's cache, and the model into its own
  std::array<std::vector<double>, kStartParts> times;
  Started last;
  for (int i = 0; i < count; ++i) {
    last = start_once(words);
    for (size_t p = 0; p < kStartParts; ++p) times[p].push_back(last.ms[p]);
  }
  const std::string cache = internal::environment_variable("CORACLE_CACHE").value_or("");
  if (json) {
    internal::JsonBuffer buffer;
    internal::JsonWriter w(buffer);
    w.StartObject();
    w.field("model", printable(model));
    w.field("processor", processor_name());
    w.field("isa", last.isa);
    w.field("threads", last.threads);
    w.field("starts", count);
    w.field("cache", printable(cache));
    for (size_t p = 0; p < kStartParts; ++p) w.list(kStartPartFields[p], times[p]);
    w.EndObject();
    fmt::print("{}\n", buffer.GetString());
    return;
  }
  fmt::print("machine   {}, {}\n", processor_name(), last.isa);
  fmt::print("starts    {} process{}, each answers once with {} thread{}\n", count, count == 1 ? "" : "es",
             last.threads, last.threads == 1 ? "" : "s");
  fmt::print("cache     {}\n", cache.empty() ? "none (CORACLE_CACHE names a folder)" : printable(cache));
  fmt::print("{:12}{:>10}{:>10}\n", "ms", "min", "median");
  for (size_t p = 0; p < kStartParts; ++p) {
    const double least = *std::min_element(times[p].begin(), times[p].end());
    fmt::print("{:12}{:10.2f}{:10.2f}\n", kStartPartNames[p], least, median_of(times[p]));
  }
}

}  // namespace coracle::cli
