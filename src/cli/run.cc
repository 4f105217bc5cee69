// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/npy.h"

namespace coracle::cli {
namespace {

/// Smallest, largest and mean element of a real tensor, for a look at the result.
std::string summary(const api::View& v) {
  const size_t n = v.size();
  if (n == 0) return "empty";
  double low = 0;
  double high = 0;
  double sum = 0;
  const auto collect = [&](auto values) {
    low = high = static_cast<double>(values[0]);
    for (auto x : values) {
      const auto d = static_cast<double>(x);
      low = d < low ? d : low;
      high = d > high ? d : high;
      sum += d;
    }
  };
  switch (v.dtype()) {
    case CORACLE_FLOAT32: collect(v.values<float>()); break;
    case CORACLE_FLOAT64: collect(v.values<double>()); break;
    case CORACLE_INT64: collect(v.values<int64_t>()); break;
    case CORACLE_INT32: collect(v.values<int32_t>()); break;
    default: return fmt::format("{} elements", n);
  }
  return fmt::format("min {:.6g}  max {:.6g}  mean {:.6g}", low, high, sum / static_cast<double>(n));
}

std::string lod_text(const api::Lod& lod) {
  std::string out;
  for (const std::vector<size_t>& level : lod) {
    out.append(out.empty() ? "" : "/");
    for (size_t i = 0; i < level.size(); ++i) out.append(i == 0 ? "" : ",").append(std::to_string(level[i]));
  }
  return out;
}

void print_json(const std::vector<api::TensorInfo>& infos, const api::Session& session) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> w(buffer);
  w.StartObject();
  w.Key("outputs");
  w.StartArray();
  for (size_t i = 0; i < infos.size(); ++i) {
    const api::View v = session.output(i);
    w.StartObject();
    w.Key("name");
    w.String(infos[i].name.c_str());
    w.Key("dtype");
    w.String(coracle_dtype_name(v.dtype()));
    w.Key("shape");
    w.StartArray();
    for (int64_t d : v.dims()) w.Int64(d);
    w.EndArray();
    if (!v.lod().empty()) {
      w.Key("lod");
      w.String(lod_text(v.lod()).c_str());
    }
    w.EndObject();
  }
  w.EndArray();
  w.EndObject();
  fmt::print("{}\n", buffer.GetString());
}

}  // namespace

void run(const ModelArguments& arguments, const SessionArguments& session_arguments,
         const RunArguments& run_arguments) {
  const Interruption interruption;
  const api::Model model(arguments.model, arguments.params, Interruption::interruptible(arguments.options));
  api::Session session(model, session_arguments.options);
  set_inputs(model, session_arguments.inputs, session);
  if (!run_arguments.output_dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(run_arguments.output_dir, error);
    if (error) throw Failure(ExitCode::kIo, run_arguments.output_dir + ": cannot be made: " + error.message());
  }
  Interruption::run(session);
  const std::vector<api::TensorInfo> infos = model.outputs();
  if (!run_arguments.output_dir.empty()) {
    for (size_t i = 0; i < infos.size(); ++i) {
      write_npy(run_arguments.output_dir + "/" + std::to_string(i) + ".npy", array_of(session.output(i)));
    }
  }
  if (run_arguments.json) {
    print_json(infos, session);
    return;
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    const api::View v = session.output(i);
    const std::string lod = v.lod().empty() ? std::string() : "  lod " + lod_text(v.lod());
    fmt::print("{}  {}  {}  {}{}\n", i, infos[i].name, type_text(v.dtype(), v.dims()), summary(v), lod);
  }
}

}  // namespace coracle::cli
