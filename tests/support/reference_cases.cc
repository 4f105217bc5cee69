// SPDX-License-Identifier: Apache-2.0
#include "support/reference_cases.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/generated_tensor.h"
#include "support/npy.h"

namespace coracle::internal::test {
namespace {

namespace fs = std::filesystem;
using Json = rapidjson::Value;

std::vector<double> numbers_of(const Json& json) {
  std::vector<double> values;
  if (json.IsArray()) {
    for (const Json& v : json.GetArray()) values.push_back(v.GetDouble());
  } else {
    values.push_back(json.GetDouble());
  }
  return values;
}

Shape shape_of(const Json& json) {
  Shape shape;
  for (const Json& d : json.GetArray()) shape.push_back(d.GetInt64());
  return shape;
}

Lod lod_of(const Json& spec) {
  Lod lod;
  if (!spec.HasMember("lod")) return lod;
  for (const Json& level : spec["lod"].GetArray()) {
    std::vector<size_t>& offsets = lod.emplace_back();
    for (const Json& o : level.GetArray()) offsets.push_back(o.GetUint64());
  }
  return lod;
}

/// float32(pixel) * mul[c] + add[c], rounded after each step.
Tensor image_of(const std::string& file, const Json& spec, const Shape& shape) {
  const Tensor pixels = read_npy(file);
  const std::vector<double> mul = numbers_of(spec["mul"]);
  const std::vector<double> add = numbers_of(spec["add"]);
  const int64_t channels = pixels.shape()[1];
  const int64_t plane = pixels.shape().count(2, pixels.shape().rank());
  Tensor image = Tensor::make(DType::kFloat32, shape);
  for (int64_t i = 0, n = pixels.count(); i < n; ++i) {
    const auto c = static_cast<size_t>(i / plane % channels);
    const volatile float product =
        static_cast<float>(pixels.data<uint8_t>()[i]) * static_cast<float>(mul[c % mul.size()]);
    image.data<float>()[i] = product + static_cast<float>(add[c % add.size()]);
  }
  return image;
}

Tensor input_of(const std::string& folder, const Json& spec) {
  const Shape shape = shape_of(spec["shape"]);
  const DType dtype = dtype_of(spec["dtype"].GetString()).value();
  if (spec.HasMember("file")) return read_npy(folder + "/" + spec["file"].GetString());
  if (spec.HasMember("u8")) return image_of(folder + "/" + spec["u8"].GetString(), spec, shape);
  const Json& gen = spec["gen"];
  const std::string kind = gen["kind"].GetString();
  if (kind == "uniform") {
    return generate_uniform(gen["seed"].GetString(), shape, dtype, gen["lo"].GetDouble(), gen["hi"].GetDouble());
  }
  if (kind == "integers") {
    return generate_integers(gen["seed"].GetString(), shape, dtype, gen["lo"].GetInt64(), gen["hi"].GetInt64());
  }
  if (kind == "constant") return generate_values({gen["value"].GetDouble()}, shape, dtype);
  if (kind == "values") return generate_values(numbers_of(gen["values"]), shape, dtype);
  if (kind == "arange") return generate_range(shape, dtype);
  if (kind == "mask") return generate_mask(numbers_of(gen["lengths"]), shape, dtype);
  throw std::runtime_error("an input of the unknown kind " + kind);
}

ReferenceOutput output_of(const std::string& folder, const Json& spec) {
  ReferenceOutput output;
  output.name = spec["name"].GetString();
  const Tensor stored = read_npy(folder + "/" + spec["file"].GetString());
  output.want = Tensor::make(DType::kFloat64, stored.shape());
  for (int64_t i = 0, n = stored.count(); i < n; ++i) output.want.data<double>()[i] = stored.number(i);
  output.dtype = spec["dtype"].GetString();
  output.shape = shape_of(spec["shape"]);
  output.lod = lod_of(spec);
  output.rows = spec.HasMember("rows");
  output.atol = numbers_of(spec["atol"]);
  output.rtol = spec["rtol"].GetDouble();
  if (spec.HasMember("sample")) {
    output.sample_start = spec["sample"]["start"].GetInt64();
    output.sample_step = spec["sample"]["step"].GetInt64();
  }
  if (spec.HasMember("max_outside")) output.max_outside = spec["max_outside"].GetDouble();
  if (spec.HasMember("max_rms")) output.max_rms = spec["max_rms"].GetDouble();
  return output;
}

/// Rows of both in any order, each matched once.
Deviation compare_rows(const Tensor& got, const ReferenceOutput& o) {
  Deviation d;
  const int64_t columns = o.want.shape().back();
  const int64_t got_rows = got.shape().rank() == 2 && got.shape()[1] == columns ? got.shape()[0] : -1;
  if (got_rows < 0) return {.max_error = INFINITY, .complaint = text("shape ", got.shape(), ", expected ", o.shape)};
  const int64_t want_rows = o.want.shape()[0];
  std::vector<bool> taken(static_cast<size_t>(got_rows), false);
  int64_t missed = 0;
  for (int64_t r = 0; r < want_rows; ++r) {
    const double* want = o.want.data<double>() + r * columns;
    bool hit = false;
    for (int64_t g = 0; g < got_rows && !hit; ++g) {
      if (taken[static_cast<size_t>(g)]) continue;
      double worst = 0;
      bool fits = true;
      for (int64_t c = 0; c < columns; ++c) {
        const double error = std::abs(got.number(g * columns + c) - want[c]);
        worst = std::max(worst, error);
        fits = fits && error <= o.atol[static_cast<size_t>(c) % o.atol.size()] + o.rtol * std::abs(want[c]);
      }
      if (!fits) continue;
      hit = true;
      taken[static_cast<size_t>(g)] = true;
      d.max_error = std::max(d.max_error, worst);
    }
    missed += hit ? 0 : 1;
  }
  const int64_t left = std::count(taken.begin(), taken.end(), false);
  const double share =
      static_cast<double>(std::max(missed, left)) / static_cast<double>(std::max<int64_t>(1, want_rows));
  if (share > o.max_outside) d.complaint = text(missed, " of ", want_rows, " rows missing, ", left, " too many");
  return d;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> reference_cases(const std::string& shared) {
  std::vector<std::pair<std::string, std::string>> cases;
  std::error_code absent;
  for (const auto& model : fs::directory_iterator(shared + "/goldens", absent)) {
    if (!model.is_directory()) continue;
    for (const auto& c : fs::directory_iterator(model.path())) {
      if (fs::exists(c.path() / "case.json")) {
        cases.emplace_back(model.path().filename().string(), c.path().filename().string());
      }
    }
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

ReferenceCase read_reference_case(const std::string& shared, const std::string& filled, const std::string& model,
                                  const std::string& name) {
  const std::string folder = shared + "/goldens/" + model + "/" + name;
  std::ifstream file(folder + "/case.json");
  const std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  rapidjson::Document json;
  json.Parse(content.data(), content.size());
  if (json.HasParseError()) throw std::runtime_error("cannot read " + folder + "/case.json");

  const auto located = [&](const std::string& path) {
    constexpr std::string_view kFilled = "filled/";
    return path.starts_with(kFilled) ? filled + "/" + path.substr(kFilled.size()) : shared + "/" + path;
  };
  ReferenceCase c;
  c.model = model;
  c.name = name;
  const Json& m = json["model"];
  c.program = located(m["program"].GetString());
  if (m.HasMember("params")) c.params = located(m["params"].GetString());
  if (m.HasMember("params_dir")) c.params = located(m["params_dir"].GetString());
  for (const Json& spec : json["inputs"].GetArray()) {
    c.input_names.emplace_back(spec["name"].GetString());
    c.inputs.push_back(input_of(folder, spec));
    const Lod lod = lod_of(spec);
    if (!lod.empty()) c.inputs.back().set_lod(lod);
  }
  for (const Json& spec : json["outputs"].GetArray()) c.outputs.push_back(output_of(folder, spec));
  return c;
}

Deviation compare(const Tensor& got, const ReferenceOutput& o) {
  if (got.is_array()) return {.max_error = INFINITY, .complaint = "a tensor array"};
  if (name_of(got.dtype()) != o.dtype) {
    return {.max_error = INFINITY, .complaint = text("element type ", got.dtype(), ", expected ", o.dtype)};
  }
  if (!o.lod.empty() && got.lod() != o.lod) return {.max_error = INFINITY, .complaint = "other sequence offsets"};
  if (o.rows) return compare_rows(got, o);
  if (!(got.shape() == o.shape)) {
    return {.max_error = INFINITY, .complaint = text("shape ", got.shape(), ", expected ", o.shape)};
  }
  Deviation d;
  int64_t outside = 0;
  double squares = 0;
  double norm = 0;
  const int64_t count = o.want.count();
  for (int64_t i = 0; i < count; ++i) {
    const double want = o.want.data<double>()[i];
    const double value = got.number(o.sample_step == 0 ? i : o.sample_start + i * o.sample_step);
    const double error = std::abs(value - want);
    // Written so that NaN counts as a miss.
    if (!(error <= o.atol.front() + o.rtol * std::abs(want)) && !(std::isnan(value) && std::isnan(want))) ++outside;
    d.max_error = error > d.max_error || std::isnan(error) ? error : d.max_error;
    squares += error * error;
    norm += want * want;
  }
  const double share = count == 0 ? 0 : static_cast<double>(outside) / static_cast<double>(count);
  const double rms = count == 0 ? 0 : std::sqrt(squares / std::max(1e-300, norm));
  if (share > o.max_outside) {
    d.complaint = text(outside, " of ", count, " elements outside atol ", o.atol.front(), " rtol ", o.rtol);
  } else if (o.max_rms >= 0 && !(rms <= o.max_rms)) {
    d.complaint = text("relative RMS difference ", rms, ", allowed ", o.max_rms);
  }
  return d;
}

}  // namespace coracle::internal::test
