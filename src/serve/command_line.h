// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "serve/server.h"

namespace coracle::serve {

/// What the program's arguments ask for. Nothing where they ask for help or are wrong, which was said: `status` is then
/// the process's. Throws Failure for files that cannot be read.
std::optional<ServerOptions> read_command_line(int argc, char** argv, int& status);

}  // namespace coracle::serve
