// SPDX-License-Identifier: Apache-2.0
#include "program_run.h"

#include <string>
#include <utility>

namespace coracle_xnnpack {
namespace {

void check(const Step& step, const char* what, xnn_status status) {
  require(status == xnn_status_success, step.name + ": XNNPACK " + what + ": " + name_of(status));
}

}  // namespace

ProgramRun::ProgramRun(const Program& program, int threads)
    : program_(program), user_(program.memory()), memory_(program.values().size(), nullptr) {
  if (threads <= 1) return;
  threads_.reset(pthreadpool_create(static_cast<size_t>(threads)));
  require(threads_ != nullptr, "no threads could be started");
}

void ProgramRun::run(const void* const* inputs, void* const* outputs) {
  std::unique_ptr<Workspace> workspace = user_.take();
  for (size_t i = 0; i < memory_.size(); ++i) {
    const auto v = static_cast<ValueNumber>(i);
    const Value& value = program_.value(program_.root(v));
    const Program::Place& place = program_.place_of(v);
    // Inputs and constants are only read.
    if (value.input >= 0) {
      memory_[i] = static_cast<float*>(const_cast<void*>(inputs[value.input]));
    } else if (value.output >= 0) {
      memory_[i] = static_cast<float*>(outputs[value.output]);
    } else if (place.constant != nullptr) {
      memory_[i] = const_cast<float*>(place.constant);
    } else {
      memory_[i] = reinterpret_cast<float*>(workspace->data() + place.at);
    }
  }
  std::vector<float*> of_step;
  for (const Step& step : program_.steps()) {
    of_step.clear();
    for (ValueNumber v : step.values) of_step.push_back(memory_[static_cast<size_t>(v)]);
    if (step.copies()) {
      step.copy.run(of_step[0], of_step[1], threads_.get());
      continue;
    }
    step.op->lend([&](xnn_operator_t op) {
      check(step, "refuses its sizes", step.recipe.set_up(op, of_step.data(), threads_.get()));
      check(step, "does not run it", xnn_run_operator(op, threads_.get()));
    });
  }
  WorkspaceUser::put(std::move(workspace));
}

}  // namespace coracle_xnnpack
