// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/small_models.h"
#include "support/temporary_folder.h"

/// Misuse, case by case, through each interface; cases.txt says what each answers.
namespace coracle::internal::test {

/// What an interface said: the status' name ("error" where an interface has none) and its message. "ok" is no refusal.
struct Answer {
  std::string status;
  std::string text;
};

/// Folders with models: "product" (product_model), "reader" (int64 indices 0 to 19), "bad_program", "bad_params",
/// "unknown_operator", "empty".
class MisuseModels {
 public:
  MisuseModels();
  std::string folder(const std::string& name) const { return folder_.path(name); }
  std::string program(const std::string& name) const { return folder(name) + "/inference.pdmodel"; }
  std::string params(const std::string& name) const { return folder(name) + "/inference.pdiparams"; }

 private:
  TemporaryFolder folder_;
};

/// One of the interfaces: its cases, each made from nothing, and a session that is used after each of them.
struct Interface {
  using Case = std::function<Answer(const MisuseModels&)>;

  std::map<std::string, Case> cases;
  /// A case with a session of "product" that answers afterwards too; false if it does not.
  std::function<bool(const MisuseModels&)> still_answers;
};

Interface c_interface();
Interface cpp_interface();
Interface paddle_interface();
Interface paddle_c_interface();

inline std::string status_name(int status) {
  static const std::vector<std::string> kNames = {"ok", "invalid_argument", "invalid_model", "unsupported",
                                                  "io", "out_of_memory",    "run_failure"};
  return kNames.at(static_cast<size_t>(status));
}

}  // namespace coracle::internal::test
