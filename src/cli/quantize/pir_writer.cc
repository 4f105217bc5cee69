// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/pir_writer.h"

#include <fmt/core.h>

#include "cli/quantize/pir_json.h"
#include "cli/quantize/pir_names.h"

namespace coracle::cli {

using namespace pir;  // NOLINT(google-build-using-namespace): the words of the format

namespace {

std::string type_text(const ProgramVariable& v) {
  std::string_view element = "t_f32";
  for (const auto& [dtype, name] : kElementTypes) {
    if (dtype == v.dtype) element = name;
  }
  std::string dims;
  for (int64_t d : v.dims) dims.append(dims.empty() ? "" : ",").append(std::to_string(d));
  return fmt::format(R"({{"#":"0.t_dtensor","D":[{{"#":"0.{}"}},[{}],"NCHW",[],0]}})", element, dims);
}

const char* dtype_text(VarDtype dtype) {
  switch (dtype) {
    case VarDtype::kInt32: return "int32";
    case VarDtype::kInt64: return "int64";
    case VarDtype::kFloat16: return "float16";
    case VarDtype::kUint8: return "uint8";
    case VarDtype::kInt8: return "int8";
    default: return "float32";
  }
}

std::string attribute_text(const std::string& name, const AttributeToWrite& value) {
  std::string node;
  if (const auto* truth = std::get_if<bool>(&value)) {
    node = fmt::format(R"("0.a_bool","D":{})", *truth);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    node = fmt::format(R"("0.a_i32","D":{})", *integer);
  } else if (const auto* real = std::get_if<float>(&value)) {
    node = fmt::format(R"("0.a_f32","D":{})", *real);
  } else if (const auto* dtype = std::get_if<VarDtype>(&value)) {
    node = fmt::format(R"("1.a_dtype","D":"{}")", dtype_text(*dtype));
  } else if (const auto* wide = std::get_if<LongInteger>(&value)) {
    node = fmt::format(R"("0.a_i64","D":{})", wide->value);
  } else if (const auto* several = std::get_if<Integers>(&value)) {
    std::string list;
    for (int64_t i : *several) list += fmt::format(R"({}{{"#":"0.a_i64","D":{}}})", list.empty() ? "" : ",", i);
    node = fmt::format(R"("0.a_array","D":[{}])", list);
  } else if (std::holds_alternative<CpuPlace>(value)) {
    node = R"("1.a_place","D":[1,0,""])";
  } else {
    node = R"("0.a_str","D":)" + quoted(std::get<std::string>(value));
  }
  return fmt::format(R"({{"AT":{{"#":{}}},"N":{}}})", node, quoted(name));
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
  Variables variables;
  for (const ProgramVariable& v : program.variables) {
    variables[v.name] = &v;
    if (v.persistable) add(v.bytes.empty() ? parameter_text(v, numbers) : v.bytes);
  }
  for (const std::string& other : unstored) add(other);
  for (const ProgramOperator& o : program.operators) {
    add(o.bytes.empty() ? operation_text(o.made, variables, numbers) : changed(o, numbers));
  }
  return out + tail;
}

std::string PirWriter::parameter_text(const ProgramVariable& v, Ids& numbers) const {
  return fmt::format(R"({{"#":"p","A":[0,1,1,{}],"DA":[],"O":{{"%":{},"TT":{}}}{},"QA":[]}})", quoted(v.name),
                     numbers.of(v.name), type_text(v), trainable ? R"(,"OA":[1,1,0])" : "");
}

std::string PirWriter::operation_text(const NewOperator& made, const Variables& variables, Ids& numbers) const {
  std::string in;
  std::string out;
  std::string attributes;
  std::string flags;
  for (const auto& [slot, name] : made.inputs) {
    in += fmt::format(R"({}{{"%":{}}})", in.empty() ? "" : ",", name.empty() ? 0 : numbers.of(name));
  }
  for (const auto& [slot, name] : made.outputs) {
    // A result that nothing reads has a type nevertheless: Paddle looks at it.
    const auto found = variables.find(name);
    const std::string type =
        type_text(found == variables.end() ? ProgramVariable{{}, {}, kDenseTensor, 5, {1}, false} : *found->second);
    out += fmt::format(R"({}{{"%":{},"TT":{}}})", out.empty() ? "" : ",",
                       name.empty() ? numbers.next++ : numbers.of(name), type);
    flags += flags.empty() ? "" : ",";
    flags += R"({"#":"0.a_bool","D":true})";
  }
  for (const auto& [name, value] : made.attributes) {
    attributes.append(attributes.empty() ? "" : ",").append(attribute_text(name, value));
  }
  const std::string results =
      trainable ? fmt::format(R"(,"OA":[{{"AT":{{"#":"0.a_array","D":[{}]}},"N":"stop_gradient"}}])", flags) : "";
  return fmt::format(R"({{"#":"1.{}","A":[{}],"I":[{}],"O":[{}]{}}})", made.type, attributes, in, out, results);
}

std::string PirWriter::changed(const ProgramOperator& o, Ids& numbers) {
  if (o.replaced.empty()) return o.bytes;
  JsonDocument d;
  d.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(o.bytes.c_str(), o.bytes.size());
  const PirOperation* known = find_pir_operation(operation_name(string_at(d, "#")));
  JsonValue& operands = d["I"];
  for (const ProgramOperator::Replaced& r : o.replaced) {
    for (rapidjson::SizeType i = 0; i < operands.Size(); ++i) {
      if (input_slot(known, i) == r.slot) operands[i]["%"].SetInt64(numbers.of(r.to));
    }
  }
  return json_text(d);
}
}  // namespace coracle::cli
