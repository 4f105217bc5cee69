// SPDX-License-Identifier: Apache-2.0
// Runs a saved model on inputs that follow from their sizes, and prints a checksum of each result. Linked with what
// runs models alone (CORACLE_RUNTIME), and with the whole library, which must print the same.
//   run_saved MODEL.coracle THREADS
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/crc32.h"
#include "run/session.h"
#include "saved/read.h"
#ifndef CORACLE_RUNTIME
#include "loading/model.h"
#endif

namespace coracle::internal {
namespace {

std::shared_ptr<const RunnableModel> opened(const char* path) {
#ifdef CORACLE_RUNTIME
  const std::optional<File> file = File::open(path);
  require(file.has_value(), ErrorCode::kIo, "there is no file ", path);
  LoadedModel loaded = load_saved_model(*file);
  auto program = std::make_shared<const Program>(std::make_shared<const Graph>(std::move(loaded.graph)),
                                                 ProgramOptions{}, std::move(loaded.packed));
  return std::make_shared<const RunnableModel>(std::move(loaded.info), std::move(program), false);
#else
  return Model::load(ModelSource::on_disk(path), {});
#endif
}

/// With 1, 64 (of pictures' sides) or 8 (of others) for what the file leaves open.
Tensor input_for(const TensorInfo& info) {
  Shape shape;
  for (int i = 0; i < info.shape.rank(); ++i) {
    const bool side = info.shape.rank() == 4 && i >= 2;
    shape.push_back(info.shape[i] > 0 ? info.shape[i] : i == 0 ? 1 : side ? 64 : 8);
  }
  Tensor tensor = Tensor::make(info.dtype, shape);
  auto* bytes = static_cast<uint8_t*>(tensor.raw());
  std::fill_n(bytes, tensor.bytes(), uint8_t{0});
  if (info.dtype == DType::kFloat32) {
    for (int64_t i = 0; i < tensor.count(); ++i) tensor.data<float>()[i] = static_cast<float>(i * 37 % 101) / 50.5F - 1;
  } else if (info.dtype == DType::kInt64) {
    for (int64_t i = 0; i < tensor.count(); ++i) tensor.data<int64_t>()[i] = i % 7 + 1;
  }
  return tensor;
}

int run(const char* path, int threads) {
  Session session(opened(path), {.threads = threads});
  const std::vector<TensorInfo>& inputs = session.model().info().inputs;
  for (size_t i = 0; i < inputs.size(); ++i) session.set_input(i, input_for(inputs[i]));
  session.run();
  for (size_t i = 0; i < session.model().info().outputs.size(); ++i) {
    const Tensor output = session.output(i);
    std::printf("%s %08x\n", text(output.dtype(), output.shape()).c_str(),
                crc32({static_cast<const uint8_t*>(output.raw()), output.bytes()}));
  }
  return 0;
}

}  // namespace
}  // namespace coracle::internal

int main(int argc, char** argv) try {
  return argc == 3 ? coracle::internal::run(argv[1], std::atoi(argv[2])) : 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
