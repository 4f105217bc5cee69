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

namespace api = coracle;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "every_member: not so: %s\n", what);
  std::exit(1);
}

void models(const std::string& path) {
  coracle::ModelOptions options;
  options.disable_passes = "all";
  options.keep_tensors = "*";
  options.weights = "copied";
  options.engines = "nobody";
  options.min_ops = 1;
  options.marks = "nobody=matmul";
  const coracle::Model model(path, {}, options);
  model.check_files();
  const std::vector<coracle::TensorInfo> inputs = model.inputs();
  expect(inputs.size() == 1 && inputs[0].dtype == CORACLE_FLOAT32 && inputs[0].dims == coracle::Dims{-1, 2}, "input");
  expect(model.outputs().size() == 2 && model.find_output("product") == 1U && !model.find_input("y"), "outputs");
  expect(!model.graph_text().empty() && !model.description().empty() && !coracle::inspect(path).empty(), "texts");
  expect(!coracle::devices().empty(), "devices");
  expect(!coracle::engines().empty() && !coracle::engines("openvino").empty(), "engines");
  expect(model.engines().find("there is no engine 'nobody'") != std::string::npos, "engines");

  std::vector<std::byte> bytes;
  const coracle::ReadFunction read = [&](const std::string& name) -> std::optional<coracle::Span<const std::byte>> {
    std::FILE* file = std::fopen((path + "/" + name).c_str(), "rb");
    if (file == nullptr) return std::nullopt;
    static std::array<std::vector<std::byte>, 2> kept;
    std::vector<std::byte>& into = kept[name == "inference.pdmodel" ? 0 : 1];
    into.resize(4096);
    into.resize(std::fread(into.data(), 1, into.size(), file));
    std::fclose(file);
    return into;
  };
  const coracle::Model again(read, "inference.pdmodel");
  const auto program = read("inference.pdmodel");
  const auto params = read("inference.pdiparams");
  const coracle::Model from_memory(*program, *params);
  expect(again.inputs().size() == from_memory.inputs().size(), "the same model");
}

void messages(const std::string& path) {
  int told = 0;
  coracle::set_logger(coracle::LogLevel::kInfo, [&told](coracle::LogLevel level, std::string_view message) {
    told += level == coracle::LogLevel::kInfo && message.find("loaded '") == 0 ? 1 : 0;
  });
  const coracle::Model model(path);
  coracle::set_logger(coracle::LogLevel::kOff, nullptr);
  const coracle::Model again(path);
  expect(told == 1, "messages");
}

void sessions(const std::string& path) {
  const coracle::Model model(path);
  coracle::SessionOptions options;
  options.threads = 1;
  coracle::Session session(model, options);
  const std::vector<float> pair = {1, 2};
  const float other[] = {1, 2};
  session.set_input(0, {1, 2}, pair);
  session.borrow_input(0, {1, 2}, coracle::Span<const float>(pair));
  session.borrow_input<float>(0, {1, 2}, other);
  session.set_input(0, CORACLE_FLOAT32, {1, 2}, pair.data());
  session.set_lod(0, {});
  session.set_profiling(true);
  session.run();
  session.run_async().get();
  session.run_async({}, [](coracle_status status) { expect(status == CORACLE_OK, "run_async"); });
  session.wait();
  const coracle::View view = session.output(1);
  const coracle::Span<const float> values = view.values<float>();
  expect(values.size() == 2 && values[0] == 7 && *(values.end() - 1) == 10, "values");
  expect(view.copy<float>() == std::vector<float>(values.begin(), values.end()), "copy");
  expect(view.dims() == coracle::Dims{1, 2} && view.bytes() == 8 && view.size() == 2 && view.lod().empty(), "view");
  expect(view.raw() == values.data() && view.dtype() == CORACLE_FLOAT32, "raw");
  expect(!session.profile().empty() && !session.explain().empty(), "profile");
  expect(!session.graph_text().empty(), "graph_text");
  expect(session.planned_memory() + session.memory().arena > 0, "memory");
  expect(session.device_memory() == 0 && model.device_bytes() == 0, "device_memory");
  const coracle::Pool pool(2);
  const coracle::Pool same = pool;
  options.pool = same;
  const coracle::Session pooled(model, options);
  expect(coracle_pool_threads(coracle::Pool(2, "0").handle()) == 2, "pools on processors");
  expect(same.handle() == pool.handle() && pool.handle() != coracle::Pool().handle(), "pools");
  coracle::Session clone = session.clone();
  clone.set_input(0, {1, 2}, pair);
  clone.run();
  clone.release_memory();
  clone.set_stream(nullptr);
  using Bind = void (coracle::Session::*)(size_t, const coracle::DeviceTensor&);
  // Of devices: used where there is one.
  static_cast<void>(static_cast<Bind>(&coracle::Session::bind_output));
  static_cast<void>(&coracle::DeviceTensor::address);
  static_cast<void>(&coracle::DeviceTensor::from_dlpack);
  static_cast<void>(&coracle::DeviceTensor::to_dlpack);
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
    const coracle::Model none("/nonexistent/model");
    expect(false, "an exception");
  } catch (const coracle::Exception& e) {
    expect(e.status() == CORACLE_IO, "status");
  }
  try {
    static_cast<void>(coracle::DeviceTensor::wrap("cpu", CORACLE_FLOAT32, {1}, nullptr, nullptr, [] {}));
    expect(false, "an exception");
  } catch (const coracle::Exception& e) {
    expect(e.status() == CORACLE_INVALID_ARGUMENT, "status");
  }
#endif
  if (argc > 2) const coracle::Model none("/nonexistent/model");
  return 0;
}
