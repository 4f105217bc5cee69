// SPDX-License-Identifier: Apache-2.0
// Plans golden models, with their weights packed, as on each processor that kernels tell apart, whatever this machine
// is: golden_plans [MODEL...], of all models without a name. Planning must succeed, choose the same kernels again for
// a model that is loaded again, and only kernels that the processor runs. Processors that multiply bfloat16 also plan
// with that precision.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "devices/cpu/kernel_isa.h"
#include "loading/model.h"
#include "run/session.h"
#include "support/emulated_processor.h"
#include "support/reference_cases.h"

namespace {

using coracle::internal::Precision;
using coracle::internal::cpu::Capability;
using coracle::internal::cpu::Processor;
using coracle::internal::test::ReferenceCase;

bool multiplies_bf16(const Processor& p) {
  return p.has(Capability::kAmx) || p.has(Capability::kAvx512Bf16) || p.has(Capability::kNeonBf16);
}

void add_kernels(const std::vector<coracle::internal::Step>& steps, const Processor& processor, std::string& names) {
  for (const coracle::internal::Step& step : steps) {
    add_kernels(step.parts, processor, names);
    if (step.kernel == nullptr) continue;
    const coracle::internal::KernelDef& kernel = *step.kernel;
    names.append(kernel.name).append(" ");
    coracle::internal::require(
        coracle::internal::cpu::runs_on(coracle::internal::cpu::kernel_isa(kernel), processor.isa()), kernel.name,
        " on ", processor.name);
    const bool in_parts = coracle::internal::cpu::kernel_mode(kernel) != coracle::internal::cpu::ComputeMode::kFloat32;
    coracle::internal::require(!in_parts || multiplies_bf16(processor), kernel.name, " on ", processor.name,
                               ", which does not multiply bfloat16");
  }
}

/// The kernels of the first segment, in order; a segment may have none.
std::string plan_of(const ReferenceCase& c, const Processor& processor, Precision precision) {
  coracle::internal::ModelOptions options;
  options.kernels.precision = precision;
  const auto model =
      coracle::internal::Model::load(coracle::internal::ModelSource::on_disk(c.program, c.params), options);
  coracle::internal::Session session(model, {.threads = 2});
  const std::vector<coracle::internal::TensorInfo>& infos = model->info().inputs;
  for (size_t i = 0; i < infos.size(); ++i) {
    size_t at = 0;
    while (at < c.input_names.size() && c.input_names[at] != infos[i].name) ++at;
    coracle::internal::require(at < c.inputs.size(), "the case has no input '", infos[i].name, "'");
    session.set_input(i, c.inputs[at]);
    if (!c.inputs[at].lod().empty()) session.set_input_lod(i, c.inputs[at].lod());
  }
  std::string names;
  add_kernels(session.explain()->steps, processor, names);
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  const std::vector<std::string> chosen(argv + 1, argv + argc);
  const std::string shared = CORACLE_SHARED;
  std::map<std::string, std::string> first;  // case of each model
  for (const auto& [model, name] : coracle::internal::test::reference_cases(shared)) {
    if (chosen.empty() || std::count(chosen.begin(), chosen.end(), model) > 0) first.try_emplace(model, name);
  }
  const auto processors = coracle::internal::test::emulated_processors();
  if (first.empty() || processors.empty()) {
    std::printf("skipped: %s\n", first.empty() ? "the reference folder ../shared is absent"
                                               : "processors of other architectures are not emulated");
    return kSkipped;
  }
  int planned = 0;
  int failed = 0;
  for (const auto& [model, name] : first) {
    std::string line;
    std::map<std::string, int> plans;  // different ones
    try {
      const ReferenceCase c = coracle::internal::test::read_reference_case(shared, CORACLE_FILLED, model, name);
      for (const Processor* p : processors) {
        line = p->name;
        const coracle::internal::test::EmulatedProcessor emulated(*p);
        for (const Precision precision : {Precision::kDefault, Precision::kHigh, Precision::kBf16}) {
          if (precision != Precision::kDefault && !multiplies_bf16(*p)) continue;
          const std::string plan = plan_of(c, *p, precision);
          coracle::internal::require(plan_of(c, *p, precision) == plan, "planned again, it has other kernels");
          ++plans[plan];
          ++planned;
        }
      }
      line = "ok, " + std::to_string(plans.size()) + " different plans";
    } catch (const std::exception& e) {
      ++failed;
      line.append(": ").append(e.what());
    }
    std::printf("%-44s %s\n", model.c_str(), line.c_str());
    std::fflush(stdout);
  }
  std::printf("%d plans of %zu models, %d failed\n", planned, first.size(), failed);
  return failed == 0 ? 0 : 1;
}
