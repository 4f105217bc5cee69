// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace coracle::client {

std::string base64_of(std::string_view bytes);

/// What the text of RFC 4648 stands for; spaces and ends of lines among it count for nothing. Throws
/// std::invalid_argument, which says where it is none.
std::string from_base64(std::string_view text);

}  // namespace coracle::client
