// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace coracle::internal {

/// Folders in which pip puts packages for the interpreters that a user may mean: of the active environment, of those in
/// PATH, the user's and the system's. Only those that are there, without a slash at their end.
std::vector<std::string> python_package_folders();

}  // namespace coracle::internal
