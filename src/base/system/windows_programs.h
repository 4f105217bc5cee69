// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/system/windows_text.h"

namespace coracle::internal {

/// The file of a program: what `name` says where it is a path, else what is found in the folders of PATH, with ".exe"
/// added. Empty where there is none. CreateProcess itself would look in the current folder first, where files of others
/// may lie.
std::wstring program_file(const std::string& name);

/// Handles that a program may inherit.
struct ProgramStreams {
  HANDLE input = nullptr;
  HANDLE output = nullptr;
  HANDLE errors = nullptr;
};

/// Starts a program; `words` are its name and arguments. It inherits its streams and nothing else, whatever other
/// threads open meanwhile; those of this process where there are none. Null: errno says why not, ENOENT: there is no
/// such program. The caller closes the handle.
HANDLE start_program(const std::vector<std::string>& words, const ProgramStreams* streams, DWORD flags);

}  // namespace coracle::internal
