// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace coracle::serve {

/// Removes the socket that a server which has ended left behind; nothing else.
void remove_left_socket(const std::string& path);

}  // namespace coracle::serve
