// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command_line/command_table.h"

namespace coracle::command_line {

/// "bash", "zsh", "fish".
const std::vector<std::string>& completion_shells();
/// The script with which a shell completes the commands and options of a program.
std::string completion(const std::vector<CommandRow>& table, const std::string& shell);

}  // namespace coracle::command_line
