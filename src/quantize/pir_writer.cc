// SPDX-License-Identifier: Apache-2.0
#include "quantize/pir_writer.h"

#include <charconv>

#include "base/error.h"
#include "quantize/pir_json.h"
#include "quantize/pir_names.h"

namespace coracle::quantize {

using namespace pir;  // NOLINT(google-build-using-namespace): the words of the format

namespace {

std::string type_text(const ProgramVariable& v) {
  std::string_view element = "t_f32";
  for (const auto& [dtype, name] : kElementTypes) {
    if (dtype == v.dtype) element = name;
  }
  std::string dims;
  for (int64_t d : v.dims) dims.append(dims.empty() ? "" : ",").append(std::to_string(d));
  return text(R"({"#":"0.t_dtensor","D":[{"#":"0.)", element, R"("},[)", dims, R"(],"NCHW",[],0]})");
}

/// The fewest digits that are this number.
std::string digits_of(float number) {
  char digits[32];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr};
}

std::string attribute_text(const std::string& name, const AttributeToWrite& value) {
  std::string node;
  if (const auto* truth = std::get_if<bool>(&value)) {
    node = text(R"("0.a_bool","D":)", *truth);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    node = text(R"("0.a_i32","D":)", *integer);
  } else if (const auto* real = std::get_if<float>(&value)) {
    node = text(R"("0.a_f32","D":)", digits_of(*real));
  } else if (const auto* dtype = std::get_if<DType>(&value)) {
    node = text(R"("1.a_dtype","D":")", *dtype, '"');
  } else if (const auto* wide = std::get_if<LongInteger>(&value)) {
    node = text(R"("0.a_i64","D":)", wide->value);
  } else if (const auto* several = std::get_if<Ints>(&value)) {
    std::string list;
    for (int64_t i : *several) list += text(list.empty() ? "" : ",", R"({"#":"0.a_i64","D":)", i, '}');
    node = text(R"("0.a_array","D":[)", list, ']');
  } else if (std::holds_alternative<CpuPlace>(value)) {
    node = R"("1.a_place","D":[1,0,""])";
  } else {
    node = R"("0.a_str","D":)" + quoted(std::get<std::string>(value));
  }
  return text(R"({"AT":{"#":)", node, R"(},"N":)", quoted(name), '}');
}

}  // namespace

struct PirWriter::Ids {
  std::unordered_map<std::string, int64_t> of_names;
  int64_t next;

  int64_t of(const std::string& name) {
    const auto [it, is_new] = of_names.try_emplace(name, next);
    if (is_new) ++next;
    return it->second;
  }
};

std::string PirWriter::bytes_of(const Program& program) const {
  Ids numbers{ids, next};
  std::string out = head;
  const size_t start = out.size();
  const auto add = [&](const std::string& text) { out.append(out.size() == start ? "" : ",").append(text); };
  Variables by_name;
  for (const ProgramVariable& v : program.variables) {
    by_name[v.name] = &v;
    if (v.persistable) add(v.original ? variables[*v.original] : parameter_text(v, numbers));
  }
  for (const std::string& other : unstored) add(other);
  for (const ProgramOperator& o : program.operators) {
    add(o.original ? changed(o, numbers) : operation_text(o.made, by_name, numbers));
  }
  return out + tail;
}

std::string PirWriter::parameter_text(const ProgramVariable& v, Ids& numbers) const {
  return text(R"({"#":"p","A":[0,1,1,)", quoted(v.name), R"(],"DA":[],"O":{"%":)", numbers.of(v.name), R"(,"TT":)",
              type_text(v), '}', trainable ? R"(,"OA":[1,1,0])" : "", R"(,"QA":[]})");
}

std::string PirWriter::operation_text(const NewOperator& made, const Variables& of_program, Ids& numbers) const {
  std::string in;
  std::string out;
  std::string attributes;
  std::string flags;
  for (const auto& [slot, name] : made.inputs) {
    in += text(in.empty() ? "" : ",", R"({"%":)", name.empty() ? 0 : numbers.of(name), '}');
  }
  for (const auto& [slot, name] : made.outputs) {
    // A result that nothing reads has a type nevertheless: Paddle looks at it.
    const auto found = of_program.find(name);
    const std::string type =
        type_text(found == of_program.end() ? dense_variable({}, DType::kFloat32, {1}, false) : *found->second);
    out += text(out.empty() ? "" : ",", R"({"%":)", name.empty() ? numbers.next++ : numbers.of(name), R"(,"TT":)", type,
                '}');
    flags += flags.empty() ? "" : ",";
    flags += R"({"#":"0.a_bool","D":true})";
  }
  for (const auto& [name, value] : made.attributes) {
    attributes.append(attributes.empty() ? "" : ",").append(attribute_text(name, value));
  }
  const std::string results =
      trainable ? text(R"(,"OA":[{"AT":{"#":"0.a_array","D":[)", flags, R"(]},"N":"stop_gradient"}])") : "";
  return text(R"({"#":"1.)", made.type, R"(","A":[)", attributes, R"(],"I":[)", in, R"(],"O":[)", out, ']', results,
              '}');
}

std::string PirWriter::changed(const ProgramOperator& o, Ids& numbers) const {
  const std::string& original = operators[*o.original];
  if (o.replaced.empty()) return original;
  JsonDocument d;
  d.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(original.c_str(), original.size());
  const PirOperation* known = find_pir_operation(operation_name(string_at(d, "#")));
  JsonValue& operands = d["I"];
  for (const ProgramOperator::Replaced& r : o.replaced) {
    for (rapidjson::SizeType i = 0; i < operands.Size(); ++i) {
      if (input_slot(known, i) == r.slot) operands[i]["%"].SetInt64(numbers.of(r.to));
    }
  }
  return json_text(d);
}
}  // namespace coracle::quantize
