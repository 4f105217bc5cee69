// SPDX-License-Identifier: Apache-2.0
// missing ENGINE: prints what the engine lacks, as it is in the environment of this process.
#include <cstdio>

#include "plan/engine.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const coracle::internal::FoundEngine found = coracle::internal::find_engine(argv[1]);
  std::puts((found.engine == nullptr ? found.missing : found.engine->missing()).c_str());
  return 0;
}
