// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// gzip and deflate as content codings of HTTP (RFC 9110, 8.4).
namespace coracle::serve {

/// A body without its coding. Throws Failure: the coding is unknown, the body is damaged or has more than `limit`
/// bytes.
std::string decoded(std::string_view coding, std::string_view body, size_t limit);
/// The coding in which a body of so many bytes is sent to a client that accepts these; empty: as it is.
std::string chosen_coding(std::string_view accepted, size_t bytes);
std::string encoded(std::string_view coding, std::string_view body);

}  // namespace coracle::serve
