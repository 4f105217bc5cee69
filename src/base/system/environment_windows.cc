// SPDX-License-Identifier: Apache-2.0
#include "base/system/environment.h"
#include "base/system/windows_text.h"

namespace coracle::internal {

// The system's own, not a C library's: each of these has a copy, made when it was loaded and in the code page of the
// process.
std::optional<std::string> environment_variable(const char* name) {
  std::wstring value(256, L'\0');
  for (;;) {
    SetLastError(ERROR_SUCCESS);
    const DWORD length =
        GetEnvironmentVariableW(wide_text(name).c_str(), value.data(), static_cast<DWORD>(value.size()));
    if (length == 0 && GetLastError() == ERROR_ENVVAR_NOT_FOUND) return std::nullopt;
    const bool fits = length < value.size();
    value.resize(length);  // without the zero at its end where it fits, else with it
    if (fits) return utf8_text(value);
  }
}

}  // namespace coracle::internal
