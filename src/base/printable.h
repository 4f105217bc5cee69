// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace coracle::internal {

/// `s` as it may reach a terminal, JSON or another program: valid UTF-8 (RFC 3629) without control characters and
/// without those that change the direction of text. Every byte of anything else stands as \xNN. A result stays as it is
/// when it is given again. With `lines`, '\n' stays: for whole messages.
std::string printable(std::string_view s, bool lines = false);

/// 'name' as it may stand in a message: printable, cut at a sensible length, in quotes.
std::string in_quotes(std::string_view name);

}  // namespace coracle::internal
