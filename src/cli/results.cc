// SPDX-License-Identifier: Apache-2.0
#include "cli/results.h"

#include <fmt/format.h>

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

std::vector<ShownOutput> shown_outputs(const coracle::Model& model, const std::vector<std::string>& names) {
  std::vector<ShownOutput> all;
  std::vector<std::string> known;
  for (const coracle::TensorInfo& info : model.outputs()) {
    all.push_back({all.size(), info.name});
    known.push_back(info.name);
  }
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Failure(ExitCode::kUsage, fmt::format("--outputs: the model has no output '{}'; its outputs are: {}", name,
                                                fmt::join(known, ", ")));
  }
  if (!names.empty()) {
    std::erase_if(all,
                  [&](const ShownOutput& o) { return std::find(names.begin(), names.end(), o.name) == names.end(); });
  }
  return all;
}

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

std::string results_text(const std::vector<ShownOutput>& outputs, const coracle::Session& session) {
  std::string out;
  for (const ShownOutput& shown : outputs) {
    const coracle::View v = session.output(shown.index);
    const std::string lod = v.lod().empty() ? std::string() : "  lod " + lod_text(v.lod());
    out += fmt::format("{}  {}  {}  {}{}\n", shown.index, shown.name, client::type_text(v.dtype(), v.dims()),
                       summary(v), lod);
  }
  return out;
}

std::string results_json(const std::vector<ShownOutput>& outputs, const coracle::Session& session, bool values,
                         const std::string& file) {
  return internal::json_text([&](internal::JsonWriter& w) {
           w.StartObject();
           if (!file.empty()) w.field("file", printable(file));
           w.Key("outputs");
           w.StartArray();
           for (const ShownOutput& o : outputs) write_output(w, o.name, session.output(o.index), values);
           w.EndArray();
           w.EndObject();
         }) +
         "\n";
}

void write_results(const std::string& dir, const std::vector<ShownOutput>& outputs, const coracle::Session& session) {
  std::error_code error;
  std::filesystem::create_directories(internal::native_path(dir), error);
  if (error) throw Failure(ExitCode::kIo, dir + ": cannot be made: " + error.message());
  for (const ShownOutput& o : outputs) {
    coracle::write_file(dir + "/" + std::to_string(o.index) + ".npy",
                        client::npy_bytes(client::tensor_of(session.output(o.index))));
  }
}

}  // namespace coracle::cli
