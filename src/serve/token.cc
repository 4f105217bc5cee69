// SPDX-License-Identifier: Apache-2.0
#include "serve/token.h"

#include "serve/failure.h"

namespace coracle::serve {
namespace {

/// Takes as long whatever the first difference is.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    const char other = b.empty() ? '\0' : b[i % b.size()];
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(other);
  }
  return different == 0;
}

}  // namespace

void check_token(std::string_view authorization, const std::string& token) {
  constexpr std::string_view kBearer = "Bearer ";
  if (token.empty()) return;
  if (authorization.starts_with(kBearer) && same_secret(authorization.substr(kBearer.size()), token)) return;
  throw Failure(Code::kUnauthenticated, "the server needs the header 'Authorization: Bearer TOKEN' with its token");
}

}  // namespace coracle::serve
