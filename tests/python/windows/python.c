// SPDX-License-Identifier: Apache-2.0
// python.exe over the python311.dll beside it (scripts/windows-python.sh).
#include <windows.h>

int wmain(int argc, wchar_t** argv) {
  HMODULE python = LoadLibraryW(L"python311.dll");
  int (*run)(int, wchar_t**) = python == NULL ? NULL : (int (*)(int, wchar_t**))(void*)GetProcAddress(python, "Py_Main");
  return run == NULL ? 127 : run(argc, argv);
}
