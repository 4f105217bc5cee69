// SPDX-License-Identifier: Apache-2.0
// Two ways to the same answer must give the same bits: one session under inputs that change their sizes by turns, with
// 1 and 3 threads, with another session in between, after release_memory, under a memory limit that just suffices,
// against a model loaded for these sizes alone. Across options (rewrites off, one by one; narrower instruction sets;
// row tiles or strided operands off) answers agree within rounding. With nodes on a device that does everything late,
// chosen by chance, answers have the same bits.
//   metamorphic_test [--models | --operators DIR] [--seconds S] [--all-options | --placements] [NAME...]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>

#include "devices/cpu/isa.h"
#include "loading/model.h"
#include "metamorphic/answer.h"
#include "metamorphic/subjects.h"
#include "run/session.h"
#include "support/late_device.h"

namespace coracle::internal::test {
namespace {

struct Variant {
  std::string name;
  ModelOptions options;
};

/// The first is the usual one.
std::vector<Variant> variants() {
  std::vector<Variant> all{{"as usual", {}}};
  const auto add = [&](std::string name) -> ModelOptions& {
    return all.emplace_back(Variant{std::move(name), {}}).options;
  };
  add("without rewrites").passes.disabled = {"all"};
  for (cpu::Isa isa : {cpu::Isa::kAvx2, cpu::Isa::kSse2}) {
    if (cpu::runs_on(isa, cpu::detected_isa()) && isa != cpu::detected_isa())
      add(text("with ", name_of(isa))).kernels.capability = isa;
  }
  for (const char* kernels : {"row_tiles", "strided"}) add(text("without ", kernels)).kernels.disabled = {kernels};
  for (const Pass& pass : pipeline()) {
    const std::string name = text("without ", pass.name);
    const bool known = std::any_of(all.begin(), all.end(), [&](const Variant& v) { return v.name == name; });
    if (!known) add(name).passes.disabled = {pass.name};
  }
  return all;
}

struct Tally {
  int64_t subjects = 0;
  int64_t runs = 0;  ///< compared
  int64_t refused = 0;
  int64_t failed = 0;
  int64_t kernels = 0;  ///< that a device ran
};

class SubjectTest {
 public:
  SubjectTest(const Subject& subject, Tally& tally) : subject_(subject), tally_(tally) {}

  /// True if all agrees. With the variants at `chosen`.
  bool run(const std::vector<const Variant*>& chosen) {
    for (const Variant* variant : chosen) {
      const bool usual = variant == chosen.front();
      const std::vector<Answer> expected = fresh(*variant);
      if (usual) {
        usual_ = expected;
        const auto model = load(*variant);
        if (!repeats(*model)) return true;
        smooth_ = is_smooth(*model);
      }
      for (size_t i = 0; i < expected.size() && !usual && smooth_; ++i) {
        const std::string difference = difference_in_rounding(usual_[i], expected[i]);
        if (!difference.empty()) complain(variant->name, i, difference);
      }
      same_session(*variant, expected);
      if (usual) under_limit(*variant, expected);
    }
    return !complained_;
  }

  /// With nodes on a device: all that it takes, and shares of that. True if all agrees.
  bool run_placements(unsigned seed) {
    const Variant usual{"as usual", {}};
    const std::vector<Answer> expected = fresh(usual);
    if (!repeats(*load(usual))) return true;
    for (const int percent : {0, 30, 70}) {
      refuse_nodes(seed, percent);
      placed(expected, seed, percent);
      refuse_nodes(0, 0);
    }
    return !complained_;
  }

 private:
  std::shared_ptr<const Model> load(const Variant& variant) const {
    return Model::load(subject_.source, variant.options);
  }

  /// Each set of inputs on a model loaded for it.
  std::vector<Answer> fresh(const Variant& variant) {
    std::vector<Answer> answers;
    if (sets_.empty()) sets_ = inputs_of_all_sizes(subject_, load(variant)->info().inputs);
    for (const Inputs& inputs : sets_) {
      Session session(load(variant), {.threads = 1});
      answers.push_back(answer(session, inputs));
      if (!answers.back().error.empty()) ++tally_.refused;
    }
    return answers;
  }

  void same_session(const Variant& variant, const std::vector<Answer>& expected) {
    const auto model = load(variant);
    model->program()->packed().check_every_use(true);
    Session one(model, {.threads = 1});
    Session three(model, {.threads = 3});
    // By turns: 0 1 0 2 0 3 ..., backwards, and once more after the memory was given back.
    std::vector<size_t> order;
    for (size_t i = 1; i < sets_.size(); ++i) order.insert(order.end(), {0, i});
    for (size_t i = sets_.size(); i-- > 0;) order.push_back(i);
    for (const bool released : {false, true}) {
      for (size_t i : order) {
        expect(answer(one, sets_[i]), expected[i], variant, i, released ? "after release_memory" : "by turns");
        expect(answer(three, sets_[i]), expected[i], variant, i, "on three threads");
        if (complained_) return;
      }
      one.release_memory();
      order.resize(std::min<size_t>(order.size(), 3));
    }
  }

  /// Under the least limit (within an eighth) that each set of inputs can do with in a session of its own.
  void under_limit(const Variant& variant, const std::vector<Answer>& expected) {
    const auto model = load(variant);
    const auto suffices = [&](size_t limit, const Inputs& inputs) {
      Session session(model, {.threads = 1, .memory_limit = limit});
      return answer(session, inputs).error.empty();
    };
    size_t least = 1;
    for (size_t i = 0; i < sets_.size(); ++i) {
      if (!expected[i].error.empty()) continue;
      size_t high = std::max<size_t>(least, 64);
      while (!suffices(high, sets_[i])) {
        if (high > size_t{1} << 33U) return complain(variant.name, i, "fails under any memory limit");
        least = high;
        high += high / 8 + 64;
      }
      least = std::max(least, high);
    }
    Session session(model, {.threads = 1, .memory_limit = least});
    for (size_t i = sets_.size(); i-- > 0;) {
      expect(answer(session, sets_[i]), expected[i], variant, i, "under a memory limit");
    }
  }

  /// On a device that does what it is given while the host goes on, or one that does it when it must and has but small
  /// blocks of memory.
  void placed(const std::vector<Answer>& expected, unsigned seed, int percent) {
    const std::shared_ptr<LateDevice> device =
        seed % 2 == 0 ? LateDevice::make({.threaded = true, .seed = seed})
                      : LateDevice::make({.largest_allocation = size_t{1} << 20U, .alignment = 64});
    Variant variant{text("on a device that refuses ", percent, " %"), {}};
    variant.options.kernels.disabled = {"islands"};
    variant.options.kernels.devices = {use(device)};
    {
      const auto model = load(variant);
      Session one(model, {.threads = 1});
      Session three(model, {.threads = 3});
      for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < sets_.size(); ++i) {
          expect(answer(one, sets_[i]), expected[i], variant, i, "in a session");
          expect(answer(three, sets_[i]), expected[i], variant, i, "on three threads");
          if (complained_) break;
        }
        one.release_memory();
      }
    }
    const LateDevice::Counts counts = device->counts();
    if (!device->complaint().empty()) complain(variant.name, 0, device->complaint());
    if (counts.bytes + counts.host_bytes != 0) complain(variant.name, 0, "memory of the device is left");
    tally_.kernels += counts.kernels;
  }

  void expect(const Answer& got, const Answer& want, const Variant& variant, size_t i, const char* where) {
    ++tally_.runs;
    if (got == want) return;
    std::string reason = got.error.empty() ? difference_in_rounding(want, got) : got.error;
    complain(variant.name, i, text("other bits ", where, reason.empty() ? "" : ": ", reason));
  }

  void complain(const std::string& variant, size_t i, const std::string& reason) {
    complained_ = true;
    std::string inputs;
    for (const Tensor& t : sets_[i]) append_text(inputs, text(" ", t.shape(), t.lod().empty() ? "" : "+lod"));
    std::printf("%s %s, inputs%s: %s\n", subject_.name.c_str(), variant.c_str(), inputs.c_str(), reason.c_str());
  }

  const Subject& subject_;
  Tally& tally_;
  std::vector<Inputs> sets_;
  std::vector<Answer> usual_;
  bool smooth_ = true;
  bool complained_ = false;
};

/// The usual variant and, unless all are asked for, two others: each subject the next ones, so that all get their turn.
std::vector<const Variant*> chosen_variants(const std::vector<Variant>& all, bool every, size_t turn) {
  std::vector<const Variant*> chosen{all.data()};
  const size_t others = all.size() - 1;
  for (size_t k = 0; k < (every ? others : 2); ++k) chosen.push_back(&all[1 + (every ? k : 2 * turn + k) % others]);
  return chosen;
}

enum class Mode : uint8_t { kSome, kAllOptions, kPlacements };

int run_all(const std::vector<Subject>& subjects, Mode mode, double seconds, const std::vector<std::string>& names) {
  const std::vector<Variant> all = variants();
  const auto start = std::chrono::steady_clock::now();
  Tally tally;
  size_t turn = 0;
  for (const Subject& subject : subjects) {
    const bool named = std::any_of(names.begin(), names.end(),
                                   [&](const std::string& n) { return subject.name.find(n) != std::string::npos; });
    if (!names.empty() && !named) continue;
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
    ++tally.subjects;
    try {
      SubjectTest test(subject, tally);
      const bool agrees = mode == Mode::kPlacements ? test.run_placements(static_cast<unsigned>(turn))
                                                    : test.run(chosen_variants(all, mode == Mode::kAllOptions, turn));
      ++turn;
      if (!agrees) ++tally.failed;
    } catch (const Error& e) {
      ++tally.failed;
      std::printf("%s: %s\n", subject.name.c_str(), e.text().c_str());
    }
    std::fflush(stdout);
  }
  std::printf("%lld of %zu models, %lld runs compared, %lld sets of inputs refused, %lld models failed\n",
              static_cast<long long>(tally.subjects), subjects.size(), static_cast<long long>(tally.runs),
              static_cast<long long>(tally.refused), static_cast<long long>(tally.failed));
  if (mode == Mode::kPlacements) std::printf("%lld kernels ran on a device\n", static_cast<long long>(tally.kernels));
  return tally.failed == 0 && tally.subjects > 0 ? 0 : 1;
}

}  // namespace
}  // namespace coracle::internal::test

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  std::string folder = CORACLE_ORACLE_SAMPLE;
  bool models = false;
  auto mode = coracle::internal::test::Mode::kSome;
  double seconds = 1e9;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--models") {
      models = true;
    } else if (option == "--all-options") {
      mode = coracle::internal::test::Mode::kAllOptions;
    } else if (option == "--placements") {
      mode = coracle::internal::test::Mode::kPlacements;
    } else if (option == "--operators" && i + 1 < argc) {
      folder = argv[++i];
    } else if (option == "--seconds" && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else if (option.starts_with("--")) {
      std::fprintf(stderr, "metamorphic_test: there is no option '%s', or its value is missing\n", argv[i]);
      return 2;
    } else {
      names.emplace_back(option);
    }
  }
  const std::vector<coracle::internal::test::Subject> subjects =
      models ? coracle::internal::test::model_subjects(CORACLE_SHARED, CORACLE_FILLED)
             : coracle::internal::test::operator_subjects(folder);
  if (subjects.empty()) {
    std::printf("skipped: no models (is the reference folder ../shared absent?)\n");
    return kSkipped;
  }
  return coracle::internal::test::run_all(subjects, mode, seconds, names);
}
