// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/state_key.h"

#include "cli/interrupt.h"
#include "cli/quantize/state.h"

namespace coracle::cli {

using namespace quantize;  // NOLINT(google-build-using-namespace): the words of the library
namespace {

template <class Numbers>
void add_numbers(StateWriter& w, const Numbers& numbers) {
  w.number<uint64_t>(numbers.size());
  for (auto n : numbers) w.number<int64_t>(static_cast<int64_t>(n));
}

void add_options(Fingerprint& f, const api::ModelOptions& o, const QuantizeArguments& q) {
  StateWriter w;
  for (const std::string& text : {o.cpu_isa, o.disable_passes, o.disable_kernels, o.precision, o.device, o.engines,
                                  o.marks, o.shapes, q.method, q.weights_only, q.scaling}) {
    w.text(text);
  }
  w.number(o.max_rewrites);
  w.number(o.emulate_tiles);
  w.number(o.min_ops);
  w.number(q.percentile);
  w.number(q.correct_bias);
  w.number(q.half);
  w.number(q.reduce_range);
  w.number(q.round_residuals);
  for (const std::optional<double>& limit : {q.max_drop, q.least_ratio, q.scaling_alpha}) {
    w.number(limit.has_value());
    w.number(limit.value_or(0));
  }
  f.add(w.take());
}

void add_layers(Fingerprint& f, const std::vector<Layer>& layers) {
  for (const Layer& l : layers) {
    StateWriter w;
    for (const std::string& text :
         {l.type, l.name, l.x.variable, l.seen.variable, l.weights, l.kept, l.correction.parameter}) {
      w.text(text);
    }
    for (int64_t n : {int64_t{l.x.write}, int64_t{l.seen.write}, int64_t{l.axis}, int64_t{l.x_channels}, l.groups}) {
      w.number(n);
    }
    w.number(l.correction.factor);
    f.add(w.take());
  }
}

}  // namespace

std::string state_key(const ModelArguments& arguments, const QuantizeArguments& q, std::string_view program,
                      const ParameterMap& parameters, const std::vector<Layer>& layers,
                      const std::vector<InputOptions>& sets) {
  Fingerprint f;
  f.add(coracle_version());
  f.add(coracle_cpu_isa());
  add_options(f, arguments.options, q);
  f.add(program);
  for (const auto& [name, p] : parameters) {
    StateWriter w;
    w.text(name);
    w.number(static_cast<int>(p.dtype));
    add_numbers(w, p.dims);
    f.add(w.take());
    f.add(p.content);
  }
  add_layers(f, layers);
  const api::Model model(arguments.model, arguments.params, Interruption::interruptible(arguments.options));
  for (const InputOptions& set : sets) {
    for (const Input& input : read_inputs(model, set)) {
      StateWriter w;
      w.number(static_cast<int>(input.array.dtype));
      add_numbers(w, input.array.dims);
      w.number<uint64_t>(input.lod.size());
      for (const auto& level : input.lod) add_numbers(w, level);
      f.add(w.take());
      f.add({reinterpret_cast<const char*>(input.array.bytes.data()), input.array.bytes.size()});
    }
    f.add("set");
  }
  return f.text();
}

}  // namespace coracle::cli
