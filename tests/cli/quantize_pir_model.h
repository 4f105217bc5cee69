// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "quantize_model.h"
#include "support/pir_writer.h"
#include "support/program_writer.h"

namespace coracle::internal::test {

/// The operations of a program while it is written.
struct PirModel {
  std::vector<std::string> parameters;
  std::vector<std::string> operations;
  std::map<std::string, std::string> records;
  int64_t next = 1;

  int64_t parameter(const std::string& name, const Dims& dims, float size, float centre = 0) {
    size_t count = 1;
    for (int64_t d : dims) count *= static_cast<size_t>(d);
    std::vector<float> values = numbers(count, size, static_cast<int>(records.size()));
    for (float& v : values) v += centre;
    records[name] = record(kFloat32, dims, values);
    parameters.push_back(pir::parameter(next, name, type(dims)));
    return next++;
  }
  static std::string type(const Dims& dims) { return pir::tensor("t_f32", dims); }
  int64_t operation(const std::string& id, const std::vector<int64_t>& operands, const Dims& dims,
                    const std::vector<std::string>& attributes = {}) {
    operations.push_back(pir::operation(id, operands, {{next, type(dims)}}, attributes));
    return next++;
  }
  int64_t convolution(const std::string& id, int64_t x, int64_t filter, const Dims& dims, int groups) {
    return operation(
        id, {x, filter}, dims,
        {pir::ints_attribute("strides", {1, 1}), pir::ints_attribute("paddings", {1, 1}),
         pir::string_attribute("padding_algorithm", "EXPLICIT"), pir::ints_attribute("dilations", {1, 1}),
         pir::attribute("groups", "0.a_i32", std::to_string(groups)), pir::string_attribute("data_format", "NCHW")});
  }
  /// The input x of QuantizeModel.
  int64_t image() {
    operations.push_back(
        pir::operation("1.data", {}, {{next, type({-1, 3, 5, 5})}},
                       {pir::string_attribute("name", "x"), pir::attribute("shape", "1.a_intarray", "[-1,3,5,5]"),
                        pir::attribute("dtype", "1.a_dtype", "\"float32\""), place(0)}));
    return next++;
  }
  /// What Paddle's reader asks for.
  static std::string place(int kind) {
    return pir::attribute("place", "1.a_place", "[" + std::to_string(kind) + ",0,\"\"]");
  }
  int64_t integers(const std::vector<int64_t>& values) {
    operations.push_back(pir::operation("1.full_int_array", {},
                                        {{next, pir::tensor("t_i64", {static_cast<int64_t>(values.size())})}},
                                        {pir::ints_attribute("value", values, "0.a_i64"),
                                         pir::attribute("dtype", "1.a_dtype", "\"int64\""), place(1)}));
    return next++;
  }
  ModelBytes written(const std::string& name, int64_t y, const Dims& dims) {
    operations.push_back(pir::fetch(y, next, 0, type(dims)));
    std::vector<std::string> all = parameters;
    all.insert(all.end(), operations.begin(), operations.end());
    std::string params;
    for (const auto& [of, bytes] : records) params += bytes;
    return {.name = name, .program = pir::program_file(all), .params = params, .inputs = {}};
  }
};

}  // namespace coracle::internal::test
