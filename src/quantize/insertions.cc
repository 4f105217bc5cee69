// SPDX-License-Identifier: Apache-2.0
#include "quantize/insertions.h"

#include <algorithm>

#include "quantize/range.h"

namespace coracle::internal::quantize {

Insertions::Insertions(Program& program, ParameterMap& parameters) : program_(program), parameters_(parameters) {
  for (const ProgramVariable& v : program.variables) names_.insert(v.name);
}

std::string Insertions::fresh(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; !names_.insert(name).second; ++i) name = wanted + "." + std::to_string(i);
  return name;
}

std::string Insertions::parameter(const std::string& wanted, Parameter value) {
  std::string name = fresh(wanted);
  program_.variables.push_back(dense_variable(name, value.dtype, value.dims, true));
  parameters_[name] = std::move(value);
  return name;
}

std::string Insertions::result(const std::string& wanted, const std::vector<int64_t>& dims, DType dtype) {
  std::string name = fresh(wanted);
  program_.variables.push_back(dense_variable(name, dtype, dims, false));
  return name;
}

void Insertions::store(const std::string& name, DType dtype, const std::string& content) {
  Parameter& stored = parameters_[name];
  stored = Parameter::of(dtype, stored.dims, content);
  for (ProgramVariable& v : program_.variables) {
    if (v.name == name) v = dense_variable(name, dtype, stored.dims, true);
  }
}

/// What Paddle asks for beside a scale and does not read.
std::string Insertions::zero_point(size_t count) {
  std::string& name = zero_points_[count];
  if (name.empty()) {
    name = parameter(
        "quantization.zero_point." + std::to_string(count),
        Parameter::of(DType::kInt32, {static_cast<int64_t>(count)}, std::string(count * sizeof(int32_t), '\0')));
  }
  return name;
}

void Insertions::add_linear(const char* type, size_t before, const std::string& x, const std::string& scale,
                            const std::string& zero_point, const std::string& y, int axis) {
  add(before, {type,
               {{"X", x}, {"Scale", scale}, {"ZeroPoint", zero_point}},
               {{"Y", y}},
               {{"quant_axis", int64_t{axis}},
                {"bit_length", int64_t{8}},
                {"round_type", int64_t{0}},
                {"is_test", true},
                {"only_observer", false}}});
}

void Insertions::add_cast(size_t before, const std::string& x, DType from, const std::string& y, DType to) {
  NewOperator cast{"cast", {{"X", x}}, {{"Out", y}}, {}};
  if (program_.format() == ProgramFormat::kPir) {
    cast.attributes = {{"dtype", to}};
  } else {
    cast.attributes = {{"in_dtype", from}, {"out_dtype", to}};
  }
  add(before, std::move(cast));
}

void Insertions::add_rows(size_t before, const std::string& ids, const std::string& table, const std::string& y) {
  const bool pir = program_.format() == ProgramFormat::kPir;
  NewOperator rows{pir ? "embedding" : "lookup_table_v2", {{"Ids", ids}, {"W", table}}, {{"Out", y}}, {}};
  rows.attributes = {{"padding_idx", LongInteger{-1}}, {pir ? "sparse" : "is_sparse", false}};
  add(before, std::move(rows));
}

void Insertions::add_product(size_t before, const std::string& x, const std::string& y, const std::string& z) {
  const bool pir = program_.format() == ProgramFormat::kPir;
  NewOperator product{pir ? "multiply" : "elementwise_mul", {{"X", x}, {"Y", y}}, {{"Out", z}}, {}};
  if (!pir) product.attributes = {{"axis", int64_t{-1}}};
  add(before, std::move(product));
}

void Insertions::add_reshape(size_t before, const std::string& x, const std::vector<int64_t>& dims,
                             const std::string& y) {
  if (program_.format() == ProgramFormat::kPir) {
    const std::string shape = result(y + ".shape", {static_cast<int64_t>(dims.size())}, DType::kInt64);
    add(before,
        {"full_int_array", {}, {{"Out", shape}}, {{"value", dims}, {"dtype", DType::kInt64}, {"place", CpuPlace{}}}});
    add(before, {"reshape", {{"X", x}, {"Shape", shape}}, {{"Out", y}}, {}});
    return;
  }
  std::vector<int64_t> of_x = program_.find(x)->dims;
  of_x.insert(of_x.begin(), 0);
  const std::string shape = result(y + ".shape", of_x);
  add(before, {"reshape2", {{"X", x}}, {{"Out", y}, {"XShape", shape}}, {{"shape", dims}}});
}

std::string Insertions::halves() {
  if (!halves_.empty()) return halves_;
  constexpr int kBytes = 256;
  std::vector<float> table;
  for (int b = 0; b < kBytes; ++b) {
    for (const int half : {b % 16, b / 16}) table.push_back(static_cast<float>(half - 8));
  }
  halves_ = parameter(kHalvesOfBytes, float_parameter({kBytes, 2}, table));
  return halves_;
}

std::string Insertions::rounded(const std::string& x, double range, size_t before) {
  const std::string scale = parameter(x + ".quantization_scale", float_parameter({1}, {static_cast<float>(range)}));
  const std::vector<int64_t> dims = program_.find(x)->dims;
  if (program_.format() == ProgramFormat::kPir) {
    std::string y = result(x + ".dequantized", dims);
    add(before, {"fake_quantize_dequantize_moving_average_abs_max",
                 {{"X", x}, {"InScale", scale}, {"InAccum", {}}, {"InState", {}}},
                 {{"Out", y}, {"OutScale", {}}, {"OutState", {}}, {"OutAccum", {}}},
                 {{"moving_rate", 0.9F}, {"bit_length", int64_t{8}}, {"is_test", true}, {"round_type", int64_t{0}}}});
    return y;
  }
  const std::string integers = result(x + ".quantized", dims);
  std::string y = result(x + ".dequantized", dims);
  add_linear("quantize_linear", before, x, scale, zero_point(1), integers, -1);
  add_linear("dequantize_linear", before, integers, scale, zero_point(1), y, -1);
  return y;
}

std::string Insertions::divided(const std::string& x, int channels, const std::vector<float>& factors, size_t before) {
  const std::vector<int64_t> dims = program_.find(x)->dims;
  // Dimensions are counted from the last one, in both formats.
  std::vector<int64_t> shape{static_cast<int64_t>(factors.size())};
  if (channels >= 0) shape.resize(dims.size() - static_cast<size_t>(channels), 1);
  std::vector<float> inverse = factors;
  for (float& f : inverse) f = 1 / f;
  const std::string by = parameter(x + ".scaling", float_parameter(shape, inverse));
  std::string y = result(x + ".scaled", dims);
  add_product(before, x, by, y);
  return y;
}

std::string Insertions::from_integers(const std::string& name, const std::string& integers,
                                      const std::vector<float>& ranges, int axis, size_t before) {
  const auto count = static_cast<int64_t>(ranges.size());
  const std::vector<int64_t> dims = parameters_.at(name).dims;
  store(name, DType::kInt8, integers);
  std::string floats;
  if (program_.format() == ProgramFormat::kPir) {
    std::vector<float> steps = ranges;
    for (float& step : steps) step /= static_cast<float>(kMostSteps);
    std::vector<int64_t> shape(dims.size(), 1);
    shape[static_cast<size_t>(axis)] = count;
    const std::string scale = parameter(name + ".quantization_step", float_parameter(shape, steps));
    const std::string whole = result(name + ".whole", dims);
    floats = result(name + ".dequantized", dims);
    add_cast(before, name, DType::kInt8, whole);
    add_product(before, whole, scale, floats);
    return floats;
  }
  const std::string scale = parameter(name + ".quantization_scale", float_parameter({count}, ranges));
  floats = result(name + ".dequantized", dims);
  add_linear("dequantize_linear", before, name, scale, zero_point(ranges.size()), floats, axis);
  return floats;
}

std::string Insertions::from_halves_of_bytes(const std::string& name, const std::string& bytes,
                                             const std::vector<float>& steps, int64_t group, int axis, size_t before) {
  const std::vector<int64_t> dims = parameters_.at(name).dims;
  const bool transposed = axis == 0;
  const std::vector<int64_t> packed = transposed ? std::vector<int64_t>{dims[0], dims[1] / group, group / 2}
                                                 : std::vector<int64_t>{dims[0] / group, group, dims[1] / 2};
  std::vector<int64_t> shape = packed;
  shape.push_back(2);
  std::vector<int64_t> of_steps = shape;
  if (transposed) of_steps[3] = 1;
  of_steps[transposed ? 2 : 1] = 1;
  parameters_.at(name).dims = packed;
  store(name, DType::kUint8, bytes);
  const std::string table = halves();
  const std::string step = parameter(name + ".quantization_step", float_parameter(of_steps, steps));
  const std::string ids = result(name + ".bytes", packed, DType::kInt32);
  const std::string whole = result(name + ".whole", shape);
  const std::string scaled = result(name + ".scaled", shape);
  std::string floats = result(name + ".dequantized", dims);
  add_cast(before, name, DType::kUint8, ids, DType::kInt32);
  add_rows(before, ids, table, whole);
  add_product(before, whole, step, scaled);
  add_reshape(before, scaled, dims, floats);
  return floats;
}

std::string Insertions::from_half(const std::string& name, const std::string& halves, size_t before) {
  const std::vector<int64_t> dims = parameters_.at(name).dims;
  store(name, DType::kFloat16, halves);
  std::string floats = result(name + ".widened", dims);
  add_cast(before, name, DType::kFloat16, floats);
  return floats;
}

void Insertions::finish() {
  std::vector<ProgramOperator> operators;
  for (size_t i = 0; i < program_.operators.size(); ++i) {
    for (ProgramOperator& o : before_[i]) operators.push_back(std::move(o));
    operators.push_back(std::move(program_.operators[i]));
  }
  program_.operators = std::move(operators);
}

}  // namespace coracle::internal::quantize
