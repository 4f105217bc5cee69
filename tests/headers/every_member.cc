// SPDX-License-Identifier: Apache-2.0
// Uses every member of coracle.hpp as C++17 programs may, with or without exceptions and RTTI. Given a folder with a
// model of one input [?, 2] and an output "product" of it and 1 2 / 3 4 (write_model), and how it is to end:
//   every_member MODEL            runs it
//   every_member MODEL error      makes an error that is not caught
#include <array>
#include <cstdio>
#include <string>

#include "coracle/coracle.hpp"
#include "coracle/logger.hpp"

namespace {

namespace api = coracle::api;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "every_member: not so: %s\n", what);
  std::exit(1);
}

void models(const std::string& path) {
  api::ModelOptions options;
  options.disable_passes = "all";
  options.keep_tensors = "*";
  options.weights = "copied";
  options.engines = "nobody";
  options.min_ops = 1;
  options.marks = "nobody=matmul";
  const api::Model model(path, {}, options);
  model.check_files();
  const std::vector<api::TensorInfo> inputs = model.inputs();
  expect(inputs.size() == 1 && inputs[0].dtype == CORACLE_FLOAT32 && inputs[0].dims == api::Dims{-1, 2}, "input");
  expect(model.outputs().size() == 2 && model.find_output("product") == 1U && !model.find_input("y"), "outputs");
  expect(!model.graph_text().empty() && !model.description().empty() && !api::inspect(path).empty(), "texts");
  expect(!api::devices().empty(), "devices");
  expect(!api::engines().empty() && !api::engines("openvino").empty(), "engines");
  expect(model.engines().find("there is no engine 'nobody'") != std::string::npos, "engines");

  std::vector<std::byte> bytes;
  const api::ReadFunction read = [&](const std::string& name) -> std::optional<api::Span<const std::byte>> {
    std::FILE* file = std::fopen((path + "/" + name).c_str(), "rb");
    if (file == nullptr) return std::nullopt;
    static std::array<std::vector<std::byte>, 2> kept;
    std::vector<std::byte>& into = kept[name == "inference.pdmodel" ? 0 : 1];
    into.resize(4096);
    into.resize(std::fread(into.data(), 1, into.size(), file));
    std::fclose(file);
    return into;
  };
  const api::Model again(read, "inference.pdmodel");
  const auto program = read("inference.pdmodel");
  const auto params = read("inference.pdiparams");
  const api::Model from_memory(*program, *params);
  expect(again.inputs().size() == from_memory.inputs().size(), "the same model");
}

void messages(const std::string& path) {
  int told = 0;
  api::set_logger(api::LogLevel::kInfo, [&told](api::LogLevel level, std::string_view message) {
    told += level == api::LogLevel::kInfo && message.find("loaded '") == 0 ? 1 : 0;
  });
  const api::Model model(path);
  api::set_logger(api::LogLevel::kOff, nullptr);
  const api::Model again(path);
  expect(told == 1, "messages");
}

void sessions(const std::string& path) {
  const api::Model model(path);
  api::SessionOptions options;
  options.threads = 1;
  api::Session session(model, options);
  const std::vector<float> pair = {1, 2};
  const float other[] = {1, 2};
  session.set_input(0, {1, 2}, pair);
  session.borrow_input(0, {1, 2}, api::Span<const float>(pair));
  session.borrow_input<float>(0, {1, 2}, other);
  session.set_input(0, CORACLE_FLOAT32, {1, 2}, pair.data());
  session.set_lod(0, {});
  session.set_profiling(true);
  session.run();
  const api::View view = session.output(1);
  const api::Span<const float> values = view.values<float>();
  expect(values.size() == 2 && values[0] == 7 && *(values.end() - 1) == 10, "values");
  expect(view.copy<float>() == std::vector<float>(values.begin(), values.end()), "copy");
  expect(view.dims() == api::Dims{1, 2} && view.bytes() == 8 && view.size() == 2 && view.lod().empty(), "view");
  expect(view.raw() == values.data() && view.dtype() == CORACLE_FLOAT32, "raw");
  expect(!session.profile().empty() && !session.explain().empty(), "profile");
  expect(!session.graph_text().empty(), "graph_text");
  expect(session.planned_memory() + session.memory().arena > 0, "memory");
  expect(session.device_memory() == 0 && model.device_bytes() == 0, "device_memory");
  const api::Pool pool(2);
  const api::Pool same = pool;
  options.pool = same;
  const api::Session pooled(model, options);
  expect(coracle_pool_threads(api::Pool(2, "0").handle()) == 2, "pools on processors");
  expect(same.handle() == pool.handle() && pool.handle() != api::Pool().handle(), "pools");
  api::Session clone = session.clone();
  clone.set_input(0, {1, 2}, pair);
  clone.run();
  clone.release_memory();
  expect(session.handle() != clone.handle() && model.handle() != nullptr, "handles");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  messages(argv[1]);
  models(argv[1]);
  sessions(argv[1]);
#if defined(__cpp_exceptions)
  try {
    const api::Model none("/nonexistent/model");
    expect(false, "an exception");
  } catch (const api::Exception& e) {
    expect(e.status() == CORACLE_IO, "status");
  }
#endif
  if (argc > 2) const api::Model none("/nonexistent/model");
  return 0;
}
