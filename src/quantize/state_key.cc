// SPDX-License-Identifier: Apache-2.0
#include "quantize/state_key.h"

#include "quantize/state.h"

namespace coracle::internal::quantize {
namespace {

template <class Numbers>
void add_numbers(StateWriter& w, const Numbers& numbers) {
  w.number<uint64_t>(numbers.size());
  for (auto n : numbers) w.number<int64_t>(static_cast<int64_t>(n));
}

void add(StateWriter& w, const std::string& text) { w.text(text); }
void add(StateWriter& w, double number) { w.number(number); }
void add(StateWriter& w, const std::optional<double>& number) {
  w.number(number.has_value());
  w.number(number.value_or(0));
}
void add(StateWriter& w, const std::vector<std::string>& texts) {
  w.number<uint64_t>(texts.size());
  for (const std::string& text : texts) w.text(text);
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

std::string state_key(const Options& options, std::string_view times, int32_t threads, std::string_view program,
                      const ParameterMap& parameters, const std::vector<Layer>& layers,
                      const std::vector<coracle::TensorInfo>& inputs, const ChosenSets& sets) {
  Fingerprint f;
  f.add(coracle_version());
  f.add(coracle_cpu_isa());
  StateWriter of_options;
  for_each_option(options, [&](const OptionDef&, const auto& value) { add(of_options, value); });
  f.add(of_options.take());
  f.add(times);
  StateWriter of_threads;
  of_threads.number(threads);
  f.add(of_threads.take());
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
  for (size_t i = 0; i < sets.size(); ++i) {
    for (const InputValue& input : sets.read(i, inputs).values) {
      StateWriter w;
      w.number(static_cast<int>(input.dtype));
      add_numbers(w, input.dims);
      w.number<uint64_t>(input.lod.size());
      for (const auto& level : input.lod) add_numbers(w, level);
      f.add(w.take());
      f.add({reinterpret_cast<const char*>(input.bytes.data()), input.bytes.size()});
    }
    f.add("set");
  }
  return f.text();
}

}  // namespace coracle::internal::quantize
