// SPDX-License-Identifier: Apache-2.0
// An index out of range is refused in the CPU's words, and the session works again.
#include "devices/gpu/on_device/first_device.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/wrong_indices.h"

namespace coracle::internal::test {
namespace {

class GpuIndices : public FirstDevice {};

TEST_F(GpuIndices, OutOfRangeAreNamed) {
  for (const WrongIndex& c : kWrongIndices) {
    ModelOptions options;
    options.device = kDevice.name;
    options.kernels.disabled = {"islands"};
    const auto model = model_of(program_of(c), options);
    Session session(model, {.threads = 1});
    expect_refused([&] { run(session, inputs_of(c.wrong)); }, c, "the device");
    if (std::string_view(c.op).find("%none") != std::string_view::npos) continue;  // every index is wrong there
    EXPECT_TRUE(same_bits(run(session, inputs_of(3)), run_fresh(model_of(program_of(c)), inputs_of(3)))) << c.op;
    expect_refused([&] { run(session, inputs_of(c.wrong)); }, c, "the device, again");
  }
}

}  // namespace
}  // namespace coracle::internal::test
