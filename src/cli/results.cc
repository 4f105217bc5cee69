// SPDX-License-Identifier: Apache-2.0
#include "cli/results.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/system/native_path.h"
#include "cli/failure.h"
#include "cli/text.h"
#include "client/element.h"
#include "client/npy.h"
#include "client/tensor_json.h"

namespace coracle::cli {
namespace {

std::string summary(const coracle::View& v) {
  if (v.size() == 0) return "empty";
  const Statistics s = statistics(v);
  if (s.elements == 0) return fmt::format("{} elements", v.size());
  std::string out = s.not_finite == s.elements
                        ? std::string()
                        : fmt::format("min {:.6g}  max {:.6g}  mean {:.6g}", s.low, s.high, s.mean);
  if (s.not_finite != 0) out += fmt::format("{}{} of {} not finite", out.empty() ? "" : "  ", s.not_finite, s.elements);
  return out;
}

std::string lod_text(const coracle::Lod& lod) {
  std::string out;
  for (const std::vector<size_t>& level : lod) {
    out.append(out.empty() ? "" : "/");
    for (size_t i = 0; i < level.size(); ++i) out.append(i == 0 ? "" : ",").append(std::to_string(level[i]));
  }
  return out;
}

void write_output(internal::JsonWriter& w, const std::string& name, const coracle::View& v, bool values) {
  w.StartObject();
  w.field("name", name);
  w.field("dtype", coracle_dtype_name(v.dtype()));
  w.list("shape", v.dims());
  if (!v.lod().empty()) w.field("lod", lod_text(v.lod()));
  if (const Statistics s = statistics(v); s.elements > s.not_finite) {
    w.field("min", s.low);
    w.field("max", s.high);
    w.field("mean", s.mean);
    if (s.not_finite != 0) w.field("not_finite", s.not_finite);
  }
  if (values) {
    w.Key("values");
    client::write_elements(w, v);
  }
  w.EndObject();
}

}  // namespace

Statistics statistics(const coracle::View& v) {
  Statistics s;
  if (!client::is_real(v.dtype())) return s;
  s.elements = v.size();
  double sum = 0;
  for (size_t i = 0; i < s.elements; ++i) {
    const double value = client::number_at(v.dtype(), v.raw(), i);
    if (!std::isfinite(value)) {
      ++s.not_finite;
      continue;
    }
    const bool first = i == s.not_finite;
    s.low = first ? value : std::min(s.low, value);
    s.high = first ? value : std::max(s.high, value);
    sum += value;
  }
  if (s.elements > s.not_finite) s.mean = sum / static_cast<double>(s.elements - s.not_finite);
  return s;
}

std::string results_text(const std::vector<coracle::TensorInfo>& infos, const coracle::Session& session) {
  std::string out;
  for (size_t i = 0; i < infos.size(); ++i) {
    const coracle::View v = session.output(i);
    const std::string lod = v.lod().empty() ? std::string() : "  lod " + lod_text(v.lod());
    out += fmt::format("{}  {}  {}  {}{}\n", i, infos[i].name, client::type_text(v.dtype(), v.dims()), summary(v), lod);
  }
  return out;
}

std::string results_json(const std::vector<coracle::TensorInfo>& infos, const coracle::Session& session, bool values,
                         const std::string& file) {
  return internal::json_text([&](internal::JsonWriter& w) {
           w.StartObject();
           if (!file.empty()) w.field("file", printable(file));
           w.Key("outputs");
           w.StartArray();
           for (size_t i = 0; i < infos.size(); ++i) write_output(w, infos[i].name, session.output(i), values);
           w.EndArray();
           w.EndObject();
         }) +
         "\n";
}

void write_results(const std::string& dir, size_t count, const coracle::Session& session) {
  std::error_code error;
  std::filesystem::create_directories(internal::native_path(dir), error);
  if (error) throw Failure(ExitCode::kIo, dir + ": cannot be made: " + error.message());
  for (size_t i = 0; i < count; ++i)
    coracle::write_file(dir + "/" + std::to_string(i) + ".npy",
                        client::npy_bytes(client::tensor_of(session.output(i))));
}

}  // namespace coracle::cli
