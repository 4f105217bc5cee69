// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/json.h"

namespace coracle::cli {

void explain(const ModelArguments& arguments, const SessionArguments& session_arguments, bool json) {
  const api::Model model(arguments.model, arguments.params, arguments.options);
  api::Session session(model, session_arguments.options);
  set_inputs(model, session_arguments.inputs, session);
  const std::string text = session.explain();
  if (json) {
    fmt::print("{}\n", text);
    return;
  }
  JsonDocument d;
  d.Parse(text.c_str());
  for (const JsonValue& step : d.GetArray()) {
    const std::string output = step["outputs"].Empty() ? "" : step["outputs"][0].GetString();
    const std::string tiled =
        step.HasMember("row_tiles") ? fmt::format("  in row tiles, group {}", step["row_tiles"].GetInt64()) : "";
    fmt::print("{:<28} {:<20} {:<28} {}{}\n", step["node"].GetString(), step["op"].GetString(),
               step["kernel"].GetString(), output, tiled);
    const std::string place = step["place"].GetString();
    if (step.HasMember("copied_bytes")) {
      const int64_t transfers = step["transfers"].GetInt64();
      fmt::print("    {} {}: {} bytes of {} tensor{} in {} transfer{}\n", step["direction"].GetString(), place,
                 step["copied_bytes"].GetInt64(), step["outputs"].Size(), step["outputs"].Size() == 1 ? "" : "s",
                 transfers, transfers == 1 ? "" : "s");
    } else if (step.HasMember("cause")) {
      fmt::print("    on {}: {}\n", place, step["cause"].GetString());
    } else if (place != "cpu") {
      fmt::print("    on {}\n", place);
    }
    for (const JsonValue& r : step["refused"].GetArray()) {
      fmt::print("    not {}: {}\n", r["kernel"].GetString(), r["reason"].GetString());
    }
  }
}

}  // namespace coracle::cli
