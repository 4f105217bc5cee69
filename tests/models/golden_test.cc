// SPDX-License-Identifier: Apache-2.0
// Runs every case of the reference folder's goldens and prints a table: model, case, largest error, kernels used.
// Cases listed in known.txt have a wider bound on the relative RMS difference, for the reason given there.
//   golden_test [--by-reference] [--saved] [--threads N] [--isa ISA] [--precision PRECISION] [--device NAME]
//               [--engines NAMES]... [--min-ops N]... [--first] [--bits] [--data FOLDER] [MODEL[/CASE]...]
// With --bits each line ends with a number that follows from all bits of the results: runs on two machines can be
// compared. Each of several --engines is tried with each --min-ops; a model that one of them cuts as another did before
// is not run again. With engines a case also fails where a block does not run on its engine. The folder of --data has
// goldens/, models/, filled/ and known.txt, for machines other than the one that this was built on. Of the models that
// are left scripts/rotating_sample.sh takes a part.
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "devices/cpu/isa.h"
#include "graph/text.h"
#include "loading/model.h"
#include "model/load.h"
#include "run/open_device.h"
#include "run/session.h"
#include "support/reference_cases.h"
#include "support/temporary_folder.h"

namespace {

using coracle::internal::Tensor;
using coracle::internal::test::ReferenceCase;

struct Options {
  bool by_reference = false;  ///< the operators' references on the graph as it is in the file
  int threads = 0;
  coracle::internal::cpu::Isa isa = coracle::internal::cpu::detected_isa();
  std::optional<coracle::internal::Precision> precision;  ///< on matrix tiles, emulated where the machine has none
  std::string device;                                     ///< where operators run that it has kernels for
  coracle::internal::EngineChoice engines;                ///< what runs parts of it
  bool saved = false;                                     ///< each model also as a saved one, with the same bits
  bool first = false;                                     ///< of each model the first case alone
  bool bits = false;                                      ///< what is printed tells results with other bits
  std::string shared = CORACLE_SHARED;
  std::string filled = CORACLE_FILLED;
  std::string known = CORACLE_KNOWN;
  std::vector<std::string> chosen;

  /// What lines of known.txt name behind "@".
  std::string variant() const {
    if (!device.empty()) return device;
    if (!engines.engines.empty()) return engines.engines[0].name;
    return precision ? std::string(name_of(*precision)) : std::string(name_of(isa));
  }
  /// What stands behind each line: " openvino,xnnpack, min_ops 2".
  std::string label() const {
    std::string names;
    for (const coracle::internal::UsedEngine& e : engines.engines)
      names.append(names.empty() ? " " : ",").append(e.name);
    return names.empty() ? "" : coracle::internal::text(names, ", min_ops ", engines.min_ops);
  }
  /// Bounds are those of float32; products of two bfloat16 parts are some thirty times less exact, float16 a thousand.
  double tolerance() const {
    using coracle::internal::Precision;
    return precision == Precision::kHigh ? 10 : precision == Precision::kFp16 ? 500 : 1;
  }
  bool takes(const std::string& model, const std::string& name) const {
    return chosen.empty() || std::any_of(chosen.begin(), chosen.end(),
                                         [&](const std::string& c) { return c == model || c == model + "/" + name; });
  }
};

/// The options once for each of several engines with each least size of blocks.
std::vector<Options> variants_of(const Options& options,
                                 const std::vector<std::vector<coracle::internal::UsedEngine>>& engines,
                                 const std::vector<int>& min_ops) {
  std::vector<Options> variants;
  for (const std::vector<coracle::internal::UsedEngine>& used : engines) {
    for (const int least : min_ops) {
      variants.push_back(options);
      variants.back().engines.engines = used;
      variants.back().engines.min_ops = least;
    }
  }
  if (variants.empty()) variants.push_back(options);
  return variants;
}

/// Warnings since the last call: with engines, of blocks that run natively.
std::string take_warnings(const std::string* add = nullptr) {
  static std::mutex mutex;
  static std::string all;
  const std::lock_guard lock(mutex);
  if (add == nullptr) return std::exchange(all, "");
  all.append("; ").append(*add);
  return "";
}

size_t position(const ReferenceCase& c, const std::string& input) {
  const auto at = std::find(c.input_names.begin(), c.input_names.end(), input);
  coracle::internal::require(at != c.input_names.end(), "the case has no input '", input, "'");
  return static_cast<size_t>(at - c.input_names.begin());
}

/// "conv2d.indirect.avx512, reference (3)": the kernels of a run, with counts.
std::string kernels_of(const coracle::internal::Profile& profile) {
  std::map<std::string, int> counts;
  for (const coracle::internal::ProfileEvent& e : profile) ++counts[e.kernel];
  std::string out;
  for (const auto& [kernel, count] : counts)
    out.append(coracle::internal::text(out.empty() ? "" : ", ", kernel, " (", count, ")"));
  return out;
}

/// What a case may miss its own bound by, and why.
struct KnownDifference {
  double max_rms = 0;      ///< bound on the relative RMS difference of every output, instead of the case's own
  double max_outside = 0;  ///< the same for the share of elements outside the case's tolerance
  std::string reason;
};

/// By "MODEL/CASE", or "MODEL/CASE@ISA" for one cap, "MODEL/CASE@PRECISION" on matrix tiles, "MODEL/CASE@DEVICE",
/// "MODEL/CASE@ENGINE" for the first of several.
std::map<std::string, KnownDifference> known_differences(const std::string& path) {
  std::map<std::string, KnownDifference> known;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    KnownDifference difference;
    words >> name >> difference.max_rms >> difference.max_outside >> std::ws;
    std::getline(words, difference.reason);
    known[name] = difference;
  }
  return known;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && a.lod() == b.lod() &&
         (a.bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0);
}

std::vector<Tensor> results_of(const std::shared_ptr<const coracle::internal::Model>& model, const ReferenceCase& c,
                               const Options& options, std::string* kernels) {
  coracle::internal::SessionOptions session_options;
  session_options.threads = options.threads;
  coracle::internal::Session session(model, session_options);
  const std::vector<coracle::internal::TensorInfo>& infos = session.model().info().inputs;
  for (size_t i = 0; i < infos.size(); ++i) {
    const Tensor& input = c.inputs[position(c, infos[i].name)];
    session.set_input(i, input);
    if (!input.lod().empty()) session.set_input_lod(i, input.lod());
  }
  session.set_profiling(true);
  session.run();
  *kernels = kernels_of(session.profile());
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < session.model().info().outputs.size(); ++i) outputs.push_back(session.output(i).clone());
  // Devices record what they run for the second time with the same memory, which is not profiled.
  session.set_profiling(false);
  for (int n = 0; n < 2 && !options.device.empty(); ++n) {
    session.run();
    for (size_t i = 0; i < outputs.size(); ++i) {
      coracle::internal::require(same_bits(session.output(i), outputs[i]), "run again, output ", i, " has other bits");
    }
  }
  return outputs;
}

/// Throws unless the model, saved and loaded again, gives the same results to the bit by the same kernels.
void check_saved(const coracle::internal::Model& model, const coracle::internal::ModelOptions& model_options,
                 const ReferenceCase& c, const Options& options, const std::vector<Tensor>& expected,
                 const std::string& kernels) {
  const coracle::internal::test::TemporaryFolder folder;
  const std::string path = folder.path("model");
  model.save(path);
  std::string kernels_of_saved;
  const auto saved = coracle::internal::Model::load(coracle::internal::ModelSource::on_disk(path), model_options);
  const std::vector<Tensor> outputs = results_of(saved, c, options, &kernels_of_saved);
  coracle::internal::require(print(saved->program()->graph()) == print(model.program()->graph()),
                             "the saved graph is another");
  coracle::internal::require(kernels == kernels_of_saved, "saved, it is run by ", kernels_of_saved);
  for (size_t i = 0; i < expected.size(); ++i) {
    coracle::internal::require(same_bits(expected[i], outputs.at(i)), "saved, output ", i, " has other bits");
  }
}

/// `programs`: those that were run, as they are planned. Nothing where this would be one of them.
std::vector<Tensor> results(const ReferenceCase& c, const Options& options, std::set<std::string>& programs,
                            std::string* kernels) {
  const coracle::internal::ModelSource source = coracle::internal::ModelSource::on_disk(c.program, c.params);
  if (options.by_reference) {
    std::vector<Tensor> inputs;
    const coracle::internal::LoadedModel model = coracle::internal::load_model(source);
    for (const coracle::internal::TensorInfo& info : model.info.inputs)
      inputs.push_back(c.inputs[position(c, info.name)]);
    return evaluate_graph(model.graph, inputs);
  }
  coracle::internal::ModelOptions model_options;
  model_options.kernels.capability = options.isa;
  model_options.device = options.device;
  model_options.engines = options.engines;
  if (options.precision) {
    model_options.kernels.precision = *options.precision;
    model_options.kernels.emulates_modes = true;
    model_options.kernels.disabled = {"cost"};  // wherever they fit, not only where they pay
  }
  const auto model = coracle::internal::Model::load(source, model_options);
  if (!programs.insert(print(model->program()->graph())).second) return {};
  std::vector<Tensor> outputs = results_of(model, c, options, kernels);
  if (options.saved) check_saved(*model, model_options, c, options, outputs, *kernels);
  return outputs;
}

/// Of all bits of the results, but for their shapes.
std::string checksum(const std::vector<Tensor>& outputs) {
  uLong sum = crc32(0, nullptr, 0);
  for (const Tensor& t : outputs) {
    if (t.bytes() != 0) sum = crc32(sum, static_cast<const Bytef*>(t.raw()), static_cast<uInt>(t.bytes()));
  }
  char text[16];
  std::snprintf(text, sizeof(text), "  %08lx", static_cast<unsigned long>(sum));
  return text;
}

/// Prints one line per case; true if all outputs are within tolerance.
bool run_case(const ReferenceCase& c, const Options& options, std::set<std::string>& programs) {
  std::string label = options.label();
  double worst = 0;
  std::string complaint;
  std::string kernels = "references";
  try {
    const size_t before = programs.size();
    take_warnings();
    const std::vector<Tensor> outputs = results(c, options, programs, &kernels);
    if (!options.by_reference && programs.size() == before) {
      std::printf("%-44s %-18s           ok  cut as before%s\n", c.model.c_str(), c.name.c_str(), label.c_str());
      return true;
    }
    if (!options.engines.engines.empty()) complaint = take_warnings();
    if (options.bits) label += checksum(outputs);
    if (outputs.size() != c.outputs.size())
      complaint.append(coracle::internal::text(" ", outputs.size(), " outputs, expected ", c.outputs.size()));
    for (size_t i = 0; i < std::min(outputs.size(), c.outputs.size()); ++i) {
      const coracle::internal::test::Deviation d = compare(outputs[i], c.outputs[i]);
      worst = std::max(worst, d.max_error);
      if (!d.complaint.empty())
        complaint.append(coracle::internal::text(" output ", i, " '", c.outputs[i].name, "': ", d.complaint));
    }
  } catch (const std::exception& e) {
    complaint = e.what();
  }
  std::printf("%-44s %-18s %9.2e  %s  [%s]%s\n", c.model.c_str(), c.name.c_str(), worst,
              complaint.empty() ? "ok" : complaint.c_str(), kernels.c_str(), label.c_str());
  std::fflush(stdout);
  return complaint.empty();
}

/// The part of the models that scripts/rotating_sample.sh names; all of them without it.
class Part {
 public:
  /// To be asked for the cases of one model after those of another.
  bool takes(const std::string& model) {
    if (model != model_) ++models_;
    model_ = model;
    return models_ % count_ == index_;
  }

 private:
  static int number(const char* variable, int otherwise) {
    const char* value = std::getenv(variable);
    return value == nullptr ? otherwise : std::atoi(value);
  }
  const int count_ = std::max(1, number("GTEST_TOTAL_SHARDS", 1));
  const int index_ = number("GTEST_SHARD_INDEX", 0);
  std::string model_;
  int models_ = -1;
};

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  Options options;
  std::vector<std::vector<coracle::internal::UsedEngine>> engines;
  std::vector<int> min_ops;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--by-reference") == 0) {
      options.by_reference = true;
    } else if (std::strcmp(argv[i], "--saved") == 0) {
      options.saved = true;
    } else if (std::strcmp(argv[i], "--first") == 0) {
      options.first = true;
    } else if (std::strcmp(argv[i], "--bits") == 0) {
      options.bits = true;
    } else if (std::strcmp(argv[i], "--data") == 0 && i + 1 < argc) {
      options.shared = argv[++i];
      options.filled = options.shared + "/filled";
      options.known = options.shared + "/known.txt";
    } else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
      options.threads = std::atoi(argv[++i]);
    } else if (std::strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
      options.device = argv[++i];
      try {
        static_cast<void>(coracle::internal::open_devices(options.device));
      } catch (const coracle::internal::Error& e) {
        std::printf("skipped: %s\n", e.what());
        return kSkipped;
      }
    } else if (std::strcmp(argv[i], "--engines") == 0 && i + 1 < argc) {
      std::istringstream names(argv[++i]);
      engines.emplace_back();
      for (std::string name; std::getline(names, name, ',');) {
        engines.back().push_back(coracle::internal::used_engine(name, coracle::internal::Precision::kDefault));
        const std::string& missing = engines.back().back().missing;
        if (missing.empty()) continue;
        std::printf("skipped: %s\n", missing.c_str());
        return kSkipped;
      }
    } else if (std::strcmp(argv[i], "--min-ops") == 0 && i + 1 < argc) {
      min_ops.push_back(std::atoi(argv[++i]));
    } else if (std::strcmp(argv[i], "--precision") == 0 && i + 1 < argc) {
      options.precision = coracle::internal::precision_of(argv[++i]);
      if (!options.precision) {
        std::printf("'%s' is not a precision\n", argv[i]);
        return 2;
      }
    } else if (std::strcmp(argv[i], "--isa") == 0 && i + 1 < argc) {
      const std::optional<coracle::internal::cpu::Isa> isa = coracle::internal::cpu::isa_of(argv[++i]);
      if (!isa) {
        std::printf("'%s' is not an instruction set\n", argv[i]);
        return 2;
      }
      if (!coracle::internal::cpu::runs_on(*isa, coracle::internal::cpu::detected_isa())) {
        std::printf("skipped: this machine has no %s\n", argv[i]);
        return kSkipped;
      }
      options.isa = *isa;
    } else {
      options.chosen.emplace_back(argv[i]);
    }
  }
  const auto cases = coracle::internal::test::reference_cases(options.shared);
  if (cases.empty()) {
    std::printf("skipped: the reference folder %s has no cases\n", options.shared.c_str());
    return kSkipped;
  }
  std::printf("%-44s %-18s %9s\n", "model", "case", "max error");
  int run = 0;
  int failed = 0;
  int widened = 0;
  const std::map<std::string, KnownDifference> known = known_differences(options.known);
  std::string before;
  if (min_ops.empty()) min_ops.push_back(static_cast<int>(options.engines.min_ops));
  const std::vector<Options> variants = variants_of(options, engines, min_ops);
  coracle::internal::set_logger(coracle::internal::LogLevel::kWarning,
                                [](coracle::internal::LogLevel, const char* message) {
                                  const std::string warning = message;
                                  take_warnings(&warning);
                                });
  Part part;
  for (const auto& [model, name] : cases) {
    if (!options.takes(model, name) || !part.takes(model) || (options.first && model == before)) continue;
    before = model;
    std::optional<ReferenceCase> as_stored;
    try {
      as_stored = coracle::internal::test::read_reference_case(options.shared, options.filled, model, name);
    } catch (const std::exception& e) {
      std::printf("%-44s %-18s cannot read the case: %s\n", model.c_str(), name.c_str(), e.what());
      ++run, ++failed;
      continue;
    }
    std::set<std::string> programs;
    for (const Options& variant : variants) {
      ++run;
      auto difference = known.find(model + "/" + name);
      if (difference == known.end()) {
        difference = known.find(coracle::internal::text(model, "/", name, "@", variant.variant()));
      }
      ReferenceCase c = *as_stored;
      for (coracle::internal::test::ReferenceOutput& o : c.outputs) {
        for (double& atol : o.atol) atol *= variant.tolerance();
        o.rtol *= variant.tolerance();
      }
      if (difference != known.end()) {
        for (coracle::internal::test::ReferenceOutput& o : c.outputs) {
          o.max_rms = difference->second.max_rms;
          o.max_outside = difference->second.max_outside;
        }
      }
      failed += run_case(c, variant, programs) ? 0 : 1;
      if (difference != known.end()) {
        ++widened;
        std::printf("    bound widened: %s\n", difference->second.reason.c_str());
      }
    }
  }
  std::printf("%d cases, %d failed, %d with a wider bound for a known reason\n", run, failed, widened);
  return failed == 0 && run > 0 ? 0 : 1;
}
