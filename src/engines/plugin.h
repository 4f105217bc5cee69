// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/engine.h"

struct coracle_engine;

namespace coracle::internal {

/// The engine of a plug-in (include/coracle/engine.h), from `libcoracle_engine_<name>.so` in one of the folders of
/// CORACLE_ENGINE_PATH or beside this library; else why there is none: the files that were looked for, or what is wrong
/// with the one that was found. One that was found stays for as long as the process. For any thread.
FoundEngine find_plugin(std::string_view name);

/// Names of the plug-ins that lie in these folders, in alphabetical order. None is loaded.
std::vector<std::string> plugin_names();

/// What is wrong with what a plug-in gives as the engine `name`; empty if nothing is.
std::string plugin_fault(const coracle_engine* given, std::string_view name);

}  // namespace coracle::internal
