// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <rapidjson/document.h>

#include "cli/commands.h"

namespace coracle::cli {
namespace {

void print_tensors(const char* title, const rapidjson::Value& list) {
  fmt::print("{}\n", title);
  int i = 0;
  for (const rapidjson::Value& t : list.GetArray()) {
    std::string shape;
    if (t["shape"].IsArray()) {
      for (const rapidjson::Value& d : t["shape"].GetArray()) {
        shape.append(shape.empty() ? "" : ", ").append(d.GetInt64() < 0 ? "?" : std::to_string(d.GetInt64()));
      }
    } else {
      shape = "...";
    }
    fmt::print("  {}  {}  {}[{}]\n", i++, t["name"].GetString(), t["dtype"].GetString(), shape);
  }
}

}  // namespace

void inspect(const ModelArguments& arguments, bool json) {
  char* raw = nullptr;
  api::check(
      coracle_inspect(arguments.model.c_str(), arguments.params.empty() ? nullptr : arguments.params.c_str(), &raw));
  const std::string text = raw;
  coracle_string_free(raw);
  if (json) {
    fmt::print("{}\n", text);
    return;
  }
  rapidjson::Document d;
  d.Parse(text.c_str());
  fmt::print("file        {}\nformat      {}\nproducer    {}\n", d["file"].GetString(), d["format"].GetString(),
             d["producer"].GetStringLength() == 0 ? "(not stated)" : d["producer"].GetString());
  print_tensors("inputs", d["inputs"]);
  print_tensors("outputs", d["outputs"]);
  const rapidjson::Value& parameters = d["parameters"];
  fmt::print("parameters  {} tensors, {} elements, {:.2f} MiB\n", parameters["count"].GetInt64(),
             parameters["elements"].GetInt64(), static_cast<double>(parameters["bytes"].GetInt64()) / 1048576.0);
  fmt::print("memory      about {:.2f} MiB for weights as read and packed; a run adds what its input shapes need\n",
             2.0 * static_cast<double>(parameters["bytes"].GetInt64()) / 1048576.0);
  fmt::print("operators\n");
  for (const auto& o : d["operators"].GetObject()) fmt::print("  {:6}  {}\n", o.value.GetInt64(), o.name.GetString());
  if (d["unsupported"].Empty()) {
    fmt::print("all operators are supported\n");
    return;
  }
  fmt::print("not supported\n");
  for (const rapidjson::Value& u : d["unsupported"].GetArray()) {
    fmt::print("  {:6}  {}: {}\n", u["count"].GetInt64(), u["operator"].GetString(), u["reason"].GetString());
  }
}

}  // namespace coracle::cli
