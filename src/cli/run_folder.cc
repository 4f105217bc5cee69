// SPDX-License-Identifier: Apache-2.0
#include "cli/run_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/system/native_path.h"
#include "cli/failure.h"
#include "cli/input/data_sets.h"
#include "cli/interrupt.h"
#include "cli/note.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

namespace fs = std::filesystem;

/// What came of a file.
struct Outcome {
  bool done = false;
  std::string text;
  std::string note;
  std::optional<Failure> failure;
};

/// The files of a folder, handed out to threads and collected in their order.
class Work {
 public:
  Work(const coracle::Model& model, const FolderInput& folder, const SessionArguments& session,
       const RunArguments& arguments)
      : model_(model), folder_(folder), session_(session), arguments_(arguments), outcomes_(folder.files.size()) {}

  /// Runs files until none is left. In any thread.
  void take() {
    std::optional<coracle::Session> session;
    for (;;) {
      size_t index = 0;
      {
        const std::lock_guard lock(mutex_);
        if (stopped_ || next_ == outcomes_.size()) break;
        index = next_++;
      }
      Outcome outcome = result(index, session);
      const std::lock_guard lock(mutex_);
      outcome.done = true;
      outcomes_[index] = std::move(outcome);
      changed_.notify_one();
    }
  }

  /// Shows results as they come; how many failed, and how the first did. In the thread that began the work.
  std::pair<size_t, std::optional<Failure>> show() {
    const Progress progress;
    size_t failed = 0;
    std::optional<Failure> first;
    bool noted = false;
    for (size_t i = 0; i < outcomes_.size(); ++i) {
      progress.show(i, outcomes_.size());
      if (!wait_for(i)) break;
      Outcome outcome = std::move(outcomes_[i]);
      if (!outcome.text.empty() || outcome.failure || !outcome.note.empty()) progress.clear();
      if (!outcome.note.empty() && !noted) {
        note("coracle: {}\n", printable(outcome.note));
        noted = true;
      }
      fmt::print("{}", outcome.text);
      if (!outcome.failure) continue;
      const std::string why = outcome.failure->what();
      const bool named = why.find(folder_.files[i]) != std::string::npos;
      note("coracle: {}\n", printable(named ? why : folder_.files[i] + ": " + why));
      ++failed;
      if (!first) first = outcome.failure;
    }
    return {failed, first};
  }

 private:
  /// Waits until file `i` is done; false if it never will be, as the work was interrupted.
  bool wait_for(size_t i) {
    std::unique_lock lock(mutex_);
    while (!outcomes_[i].done) {
      // By the clock of the day: waiting by another needs glibc 2.30.
      changed_.wait_until(lock, std::chrono::system_clock::now() + std::chrono::milliseconds(50));
      if (!Interruption::happened()) continue;
      stopped_ = true;
      for (coracle::Session* s : running_) s->cancel();
      return false;
    }
    return true;
  }

  Outcome result(size_t index, std::optional<coracle::Session>& session) {
    Outcome outcome;
    try {
      const std::string& file = folder_.files[index];
      InputOptions options = session_.inputs;
      options.files[folder_.entry] = folder_.name + "=" + file;
      const std::vector<Input> inputs = read_inputs(model_, options);
      if (!session) session.emplace(model_, session_.options);
      for (size_t i = 0; i < inputs.size(); ++i) {
        set_input(*session, i, inputs[i]);
        outcome.note += inputs[i].note;
      }
      run(*session);
      const std::vector<coracle::TensorInfo> infos = model_.outputs();
      const std::string name = internal::path_text(internal::native_path(file).filename());
      if (!arguments_.output_dir.empty()) write_results(arguments_.output_dir + "/" + name, infos.size(), *session);
      outcome.text = arguments_.json ? results_json(infos, *session, arguments_.values, name)
                                     : printable(name) + "\n" + results_text(infos, *session);
    } catch (...) {
      outcome.failure = current_failure();
      session.reset();
    }
    return outcome;
  }

  void run(coracle::Session& session) {
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) throw Failure(ExitCode::kInterrupted, "interrupted");
      running_.push_back(&session);
    }
    const auto leave = [&] {
      const std::lock_guard lock(mutex_);
      running_.erase(std::find(running_.begin(), running_.end(), &session));
    };
    try {
      session.run();
    } catch (...) {
      leave();
      throw;
    }
    leave();
  }

  const coracle::Model& model_;
  const FolderInput& folder_;
  const SessionArguments& session_;
  const RunArguments& arguments_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Outcome> outcomes_;
  std::vector<coracle::Session*> running_;
  size_t next_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::optional<FolderInput> folder_input(const coracle::Model& model, const InputOptions& inputs) {
  const std::vector<coracle::TensorInfo> infos = model.inputs();
  std::optional<FolderInput> found;
  for (size_t i = 0; i < inputs.files.size(); ++i) {
    if (inputs.files[i].find('=') == std::string::npos) continue;  // a file for all inputs
    const auto [index, path] = split_entry(inputs.files[i], infos, "--input");
    std::error_code error;
    if (!fs::is_directory(internal::native_path(path), error)) continue;
    if (found) {
      throw Failure(ExitCode::kUsage,
                    "--input " + inputs.files[i] + ": a second directory; one input at most has its files in one");
    }
    found = FolderInput{infos[index].name, i, {}};
    for (fs::directory_iterator file(internal::native_path(path), error), end; !error && file != end;
         file.increment(error)) {
      const std::string name = internal::path_text(file->path());
      if (names_input(name) && !fs::is_directory(file->path())) found->files.push_back(name);
    }
    if (error) throw Failure(ExitCode::kIo, path + ": cannot be read: " + error.message());
    if (found->files.empty()) {
      throw Failure(
          ExitCode::kIo,
          path + ": a directory without files that can be an input (.npy, .npz, .json, .bin, .png, .jpg, .bmp, .webp)");
    }
    std::sort(found->files.begin(), found->files.end());
  }
  return found;
}

std::vector<InputOptions> input_sets(const coracle::Model& model, const InputOptions& given,
                                     const std::vector<std::string>& data) {
  const std::vector<coracle::TensorInfo> infos = model.inputs();
  std::vector<InputOptions> sets;
  for (const std::string& one : data) sets.push_back(with_data(given, one, infos));
  if (const std::optional<FolderInput> folder = folder_input(model, given)) {
    if (!data.empty()) throw Failure(ExitCode::kUsage, "--input names a folder and --data sets of inputs: give one");
    for (const std::string& file : folder->files) {
      sets.push_back(given);
      sets.back().files[folder->entry] = folder->name + "=" + file;
    }
  }
  if (sets.empty()) sets.push_back(given);
  return sets;
}

void run_folder(const coracle::Model& model, const FolderInput& folder, const SessionArguments& session,
                const RunArguments& arguments) {
  const size_t jobs = std::min(static_cast<size_t>(std::max(arguments.jobs, 1)), folder.files.size());
  SessionArguments shared = session;
  if (shared.options.threads == 0) {  // the processors are shared out
    shared.options.threads = std::max(1, coracle_default_threads() / static_cast<int>(jobs));
  }
  Work work(model, folder, shared, arguments);
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < jobs; ++i) threads.emplace_back([&work] { work.take(); });
  const auto [failed, first] = work.show();
  threads.clear();
  if (Interruption::happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
  if (first) throw Failure(first->code(), fmt::format("{} of {} files failed", failed, folder.files.size()));
}

}  // namespace coracle::cli
