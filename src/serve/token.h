// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace coracle::serve {

/// Checks what a client sent as "Authorization" against the server's token; an empty token asks for nothing. Throws
/// Failure (kUnauthenticated).
void check_token(std::string_view authorization, const std::string& token);

}  // namespace coracle::serve
