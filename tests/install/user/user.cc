// SPDX-License-Identifier: Apache-2.0
// Loads the model given as argument, runs it on zeros and prints the size of its first output.
#include <coracle/coracle.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const coracle::Model model(argv[1]);
    coracle::Session session(model, {.threads = 1});
    const auto inputs = model.inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      coracle::Dims dims = inputs[i].dims;
      for (int64_t& d : dims) d = d < 0 ? 1 : d;
      size_t count = 1;
      for (int64_t d : dims) count *= static_cast<size_t>(d);
      session.set_input(i, dims, std::vector<float>(count, 0.0F));
    }
    session.run();
    std::printf("%zu\n", session.output(0).size());
  } catch (const coracle::Exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
