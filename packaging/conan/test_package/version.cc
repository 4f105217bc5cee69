// SPDX-License-Identifier: Apache-2.0
// Calls both libraries.
#include <coracle/coracle.h>
#include <pd_inference_api.h>

#include <cstdio>

int main() {
  std::printf("coracle %s, %s; %s\n", coracle_version(), coracle_cpu_isa(), PD_GetVersion());
  return 0;
}
