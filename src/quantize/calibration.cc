// SPDX-License-Identifier: Apache-2.0
#include "quantize/calibration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

namespace coracle::internal::quantize {
namespace {

size_t elements_in(const coracle::Dims& dims) {
  size_t count = 1;
  for (int64_t d : dims) count *= static_cast<size_t>(d);
  return count;
}

/// A run that shows values to a function.
struct Observation {
  std::function<void(const coracle_node_value&, int write)> see;
  std::map<std::string, int> writes;
  std::exception_ptr failure;

  static int call(void* user, const coracle_node_value* v) {
    auto& self = *static_cast<Observation*>(user);
    try {
      if (v->is_result != 0 && v->is_constant == 0 && *v->name != '\0') self.see(*v, self.writes[v->name]++);
      return 0;
    } catch (...) {  // may not cross the C interface
      self.failure = std::current_exception();
      return 1;
    }
  }
};

void add_sums(Activation& a, int dimension, const float* values, const coracle::Dims& dims) {
  if (dimension < 0 || static_cast<size_t>(dimension) >= dims.size()) return;
  const auto at = static_cast<size_t>(dimension);
  size_t outer = 1;
  size_t inner = 1;
  for (size_t i = 0; i < dims.size(); ++i)
    (i < at ? outer : i > at ? inner : outer) *= i == at ? 1 : static_cast<size_t>(dims[i]);
  const auto count = static_cast<size_t>(dims[at]);
  std::vector<double>& sums = a.sums[dimension];
  std::vector<double>& squares = a.squares[dimension];
  std::vector<float>& largest = a.largest[dimension];
  if (sums.empty()) {
    sums.resize(count);
    squares.resize(count);
    largest.resize(count);
  }
  if (sums.size() != count) {
    a.numbers[dimension] = std::nan("");
    return;
  }
  for (size_t o = 0; o < outer; ++o) {
    for (size_t c = 0; c < count; ++c) {
      double sum = sums[c];
      double square = squares[c];
      float most = largest[c];
      for (size_t i = 0; i < inner; ++i) {
        const float value = *values++;
        sum += value;
        square += static_cast<double>(value) * value;
        most = std::max(most, std::fabs(value));
      }
      sums[c] = sum;
      squares[c] = square;
      largest[c] = most;
    }
  }
  a.numbers[dimension] += static_cast<double>(outer * inner);
}

using Clock = std::chrono::steady_clock;
/// What runs have shown is kept again when they went on for so many times what keeping it took.
constexpr int kBetween = 20;

/// What `done` runs have shown.
std::string kept_bytes(const Activations& activations, size_t done) {
  StateWriter w;
  w.number<uint64_t>(done);
  w.number<uint64_t>(activations.size());
  for (const auto& [value, a] : activations) {
    w.text(value.variable);
    w.number(value.write);
    a.counts.write(w);
    w.number<uint64_t>(a.sums.size());
    for (const auto& [dimension, sums] : a.sums) {
      w.number(dimension);
      w.number(a.numbers.at(dimension));
      w.number<uint64_t>(sums.size());
      for (double s : sums) w.number(s);
      for (double s : a.squares.at(dimension)) w.number(s);
      for (float m : a.largest.at(dimension)) w.number(m);
    }
  }
  return w.take();
}

/// The number of runs.
size_t read_activations(const std::string& bytes, Activations& activations) {
  StateReader r(bytes);
  const auto done = r.number<uint64_t>();
  for (auto left = r.number<uint64_t>(); left > 0; --left) {
    const std::string variable = r.text();
    Activation& a = activations[{variable, r.number<int>()}];
    a.counts.read(r);
    for (auto dimensions = r.number<uint64_t>(); dimensions > 0; --dimensions) {
      const int dimension = r.number<int>();
      a.numbers[dimension] = r.number<double>();
      std::vector<double>& sums = a.sums[dimension];
      const auto elements = r.number<uint64_t>();
      for (uint64_t i = 0; i < elements; ++i) sums.push_back(r.number<double>());
      for (uint64_t i = 0; i < elements; ++i) a.squares[dimension].push_back(r.number<double>());
      for (uint64_t i = 0; i < elements; ++i) a.largest[dimension].push_back(r.number<float>());
    }
  }
  return done;
}

/// Values with the elements of a dimension divided by `factors`; as they are where there are other numbers of them.
std::vector<float> divided(const float* values, const coracle::Dims& dims, int dimension,
                           const std::vector<float>& factors) {
  std::vector<float> result(values, values + elements_in(dims));
  const int at = dimension < 0 ? static_cast<int>(dims.size()) - 1 : dimension;
  if (at < 0 || static_cast<size_t>(at) >= dims.size()) return result;
  if (static_cast<size_t>(dims[static_cast<size_t>(at)]) != factors.size()) return result;
  size_t inner = 1;
  for (size_t i = static_cast<size_t>(at) + 1; i < dims.size(); ++i) inner *= static_cast<size_t>(dims[i]);
  for (size_t i = 0; i < result.size(); ++i) result[i] /= factors[i / inner % factors.size()];
  return result;
}

}  // namespace

Calibration::Calibration(coracle::Model model, const Runs& runs, ChosenSets sets,
                         std::function<void(size_t, size_t)> tell)
    : model_(std::move(model)), runs_(runs), sets_(std::move(sets)), tell_(std::move(tell)) {}

void Calibration::run(Activations& activations, size_t time, size_t& done, State& state, const See& see) const {
  if (done >= (time + 1) * sets_.size()) return;
  const std::vector<coracle::TensorInfo> infos = model_.inputs();
  const SessionHandle session = runs_.session_of(model_);
  Observation observation;
  observation.see = [&](const coracle_node_value& v, int write) {
    const auto found = activations.find({v.name, write});
    if (found == activations.end()) return;
    const coracle_tensor_view& t = v.tensor;
    if (t.dtype != CORACLE_FLOAT32) return;
    see(found->second, static_cast<const float*>(t.data), {t.dims, t.dims + t.rank});
  };
  coracle::check(coracle_session_set_observer(session.get(), Observation::call, &observation));
  auto kept = Clock::now();
  Clock::duration of_keeping{};
  while (done < (time + 1) * sets_.size()) {
    const InputSet set = sets_.read(done - time * sets_.size(), infos);
    for (size_t i = 0; i < infos.size(); ++i) {
      const auto found = activations.find({infos[i].name, -1});
      if (found == activations.end() || set.values[i].floats() == nullptr) continue;
      see(found->second, set.values[i].floats(), set.values[i].dims);
    }
    observation.writes.clear();
    try {
      runs_.run(session.get(), set);
    } catch (...) {
      if (observation.failure != nullptr) std::rethrow_exception(observation.failure);
      throw;
    }
    tell_(++done, 2 * sets_.size());
    const auto now = Clock::now();
    if (!state.keeps() || (now - kept < kBetween * of_keeping && done < 2 * sets_.size())) continue;
    state.keep_seen(kept_bytes(activations, done));
    kept = Clock::now();
    of_keeping = kept - now;
  }
}

Activations Calibration::activations(const std::vector<Layer>& layers, State& state,
                                     const OperandFactors& factors) const {
  Activations activations;
  for (const Layer& l : layers) activations.try_emplace(l.seen);
  size_t done = 0;
  if (state.seen()) done = read_activations(*state.seen(), activations);
  std::map<const Activation*, std::vector<int>> summed;
  for (const Layer& l : layers) {
    std::vector<int>& dimensions = summed[&activations[l.seen]];
    if (std::find(dimensions.begin(), dimensions.end(), l.x_channels) == dimensions.end())
      dimensions.push_back(l.x_channels);
  }
  std::map<const Activation*, const OperandFactors::mapped_type*> of_values;
  for (const auto& [value, of_value] : factors) {
    const auto found = activations.find(value);
    if (found != activations.end()) of_values[&found->second] = &of_value;
  }
  const auto dividing = [&](const See& see) {
    return [&of_values, see](Activation& a, const float* values, const coracle::Dims& dims) {
      const auto found = of_values.find(&a);
      if (found == of_values.end()) return see(a, values, dims);
      see(a, divided(values, dims, found->second->first, found->second->second).data(), dims);
    };
  };
  run(activations, 0, done, state, dividing([&](Activation& a, const float* values, const coracle::Dims& dims) {
        a.counts.add_to_largest(values, elements_in(dims));
        for (int dimension : summed[&a]) {
          // For products -1 stands for the last dimension.
          const int at = dimension < 0 ? static_cast<int>(dims.size()) - 1 : dimension;
          add_sums(a, at, values, dims);
          if (dimension < 0 && at >= 0) {
            a.sums[-1] = a.sums[at];
            a.numbers[-1] = a.numbers[at];
            a.squares[-1] = a.squares[at];
            a.largest[-1] = a.largest[at];
          }
        }
      }));
  run(activations, 1, done, state, dividing([&](Activation& a, const float* values, const coracle::Dims& dims) {
        a.counts.add_to_bins(values, elements_in(dims));
      }));
  for (auto it = activations.begin(); it != activations.end();) {
    it = it->second.numbers.empty() ? activations.erase(it) : std::next(it);
  }
  return activations;
}

}  // namespace coracle::internal::quantize
