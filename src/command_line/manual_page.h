// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command_line/command_table.h"

namespace coracle::command_line {

/// The page of the manual (roff) of a row of the table: the program, which is the first one, or a command of it.
std::string manual_page(const std::vector<CommandRow>& table, const CommandRow& row, const std::string& version);

}  // namespace coracle::command_line
