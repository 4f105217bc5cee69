// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Writes PIR programs (inference.json) by hand, independently of the reader.
namespace coracle::internal::test::pir {

inline std::string list_of(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out.append(out.size() == 1 ? "" : ",").append(item);
  return out + "]";
}

inline std::string numbers(const std::vector<int64_t>& values) {
  std::vector<std::string> items;
  for (int64_t v : values) items.push_back(std::to_string(v));
  return list_of(items);
}

/// "0.t_f32", {2, -1} -> a dense tensor type.
inline std::string tensor(const std::string& element, const std::vector<int64_t>& dims) {
  return R"({"#":"0.t_dtensor","D":[{"#":"0.)" + element + R"("},)" + numbers(dims) + R"(,"NCHW",[],0]})";
}
inline std::string vec(const std::vector<std::string>& types) {
  return R"({"#":"0.t_vec","D":)" + list_of(types) + "}";
}

inline std::string attribute(const std::string& name, const std::string& kind, const std::string& data) {
  return R"({"N":")" + name + R"(","AT":{"#":")" + kind + R"(","D":)" + data + "}}";
}
/// A list: {"0.a_i32", {1, 2}}.
inline std::string list_attribute(const std::string& name, const std::string& kind,
                                  const std::vector<std::string>& values) {
  std::vector<std::string> items;
  for (const std::string& v : values) items.push_back(R"({"#":")" + kind + R"(","D":)" + v + "}");
  return attribute(name, "0.a_array", list_of(items));
}
inline std::string ints_attribute(const std::string& name, const std::vector<int64_t>& values,
                                  const std::string& kind = "0.a_i32") {
  std::vector<std::string> items;
  for (int64_t v : values) items.push_back(std::to_string(v));
  return list_attribute(name, kind, items);
}
inline std::string string_attribute(const std::string& name, const std::string& value) {
  return attribute(name, "0.a_str", "\"" + value + "\"");
}

struct Result {
  int64_t id = 0;
  std::string type;
};

/// One operation; `regions` are whole REGION objects.
inline std::string operation(const std::string& id, const std::vector<int64_t>& operands,
                             const std::vector<Result>& results, const std::vector<std::string>& attributes = {},
                             const std::vector<std::string>& regions = {}) {
  std::vector<std::string> in;
  for (int64_t v : operands) in.push_back(R"({"%":)" + std::to_string(v) + "}");
  std::vector<std::string> out;
  for (const Result& r : results) out.push_back(R"({"%":)" + std::to_string(r.id) + R"(,"TT":)" + r.type + "}");
  std::string text =
      R"({"#":")" + id + R"(","I":)" + list_of(in) + R"(,"O":)" + list_of(out) + R"(,"A":)" + list_of(attributes);
  if (!regions.empty()) text += R"(,"regions":)" + list_of(regions);
  return text + "}";
}

inline std::string parameter(int64_t id, const std::string& name, const std::string& type, bool persistable = true) {
  return R"({"#":"p","A":[0,1,1,")" + name + R"("],"O":{"%":)" + std::to_string(id) + R"(,"TT":)" + type +
         R"(},"OA":[)" + (persistable ? "1" : "0") + ",0,1]}";
}
inline std::string data(int64_t id, const std::string& name, const std::string& type) {
  return operation("1.data", {}, {{id, type}}, {string_attribute("name", name)});
}
inline std::string fetch(int64_t operand, int64_t id, int col, const std::string& type) {
  return operation("1.fetch", {operand}, {{id, type}},
                   {string_attribute("name", "fetch_name_" + std::to_string(col)),
                    attribute("col", "0.a_i32", std::to_string(col))});
}
inline std::string full(int64_t id, double value, const std::string& dtype, const std::string& element,
                        const std::vector<int64_t>& dims) {
  return operation(
      "1.full", {}, {{id, tensor(element, dims)}},
      {attribute("shape", "1.a_intarray", numbers(dims)), attribute("value", "0.a_f64", std::to_string(value)),
       attribute("dtype", "1.a_dtype", "\"" + dtype + "\"")});
}

/// A 1-D int64 constant.
inline std::string full_ints(int64_t id, const std::vector<int64_t>& values) {
  return operation("1.full_int_array", {}, {{id, tensor("t_i64", {static_cast<int64_t>(values.size())})}},
                   {ints_attribute("value", values, "0.a_i64"), attribute("dtype", "1.a_dtype", "\"int64\"")});
}

inline std::string region(const std::vector<std::string>& operations, const std::vector<Result>& arguments = {}) {
  std::vector<std::string> args;
  for (const Result& a : arguments) args.push_back(R"({"#":)" + std::to_string(a.id) + R"(,"TT":)" + a.type + "}");
  return R"({"#":"region_0","blocks":[{"#":"block_0","args":)" + list_of(args) + R"(,"ops":)" + list_of(operations) +
         "}]}";
}

inline std::string program_file(const std::vector<std::string>& operations, int version = 1) {
  return R"({"base_code":{"magic":"pir","trainable":true,"version":)" + std::to_string(version) +
         R"(},"program":{"regions":[)" + region(operations) + "]}}";
}

}  // namespace coracle::internal::test::pir
