#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/windows-python, a Python for 64-bit Windows that wine runs, with numpy and pytest, and prints its path. Windows' own parts of Python are in
# a package of PyPI that brings them along for programs made with it (panda3d); what is written in Python is Debian's of the same version; and
# python.exe is python.c, which calls the former's Py_Main.
#   scripts/windows-python.sh
set -eu
cd "$(dirname "$0")/.."
scripts/venv.sh build/python-venv tests/python/requirements.txt

python=build/windows-python
wanted=$(cat "$0" tests/python/windows/python.c tests/python/windows/requirements.txt | cksum)
if [ "$(cat "$python/made" 2>/dev/null)" != "$wanted" ]; then
  library=/usr/lib/python3.11
  [ -d "$library" ] || { echo "windows-python: there is no $library, whose modules it takes (Debian 12)" >&2; exit 77; }
  rm -rf "$python"
  mkdir -p "$python/download" "$python/DLLs" "$python/Lib/site-packages"
  build/python-venv/bin/pip download --quiet --disable-pip-version-check --no-deps --platform win_amd64 --python-version 3.11 \
    --only-binary=:all: --dest "$python/download" -r tests/python/windows/requirements.txt >&2
  python3 -m zipfile -e "$python"/download/panda3d-*.whl "$python/download/panda3d"
  rm "$python"/download/panda3d-*.whl
  for wheel in "$python"/download/*.whl; do
    python3 -m zipfile -e "$wheel" "$python/Lib/site-packages"
  done
  parts=$python/download/panda3d/deploy_libs
  mv "$parts/python311.dll" "$parts/VCRUNTIME140.dll" "$python"
  mv "$parts"/_*.pyd "$parts/select.pyd" "$parts/unicodedata.pyd" "$parts/pyexpat.pyd" "$parts/libffi-8.dll" "$parts"/libcrypto-*.dll "$parts"/libssl-*.dll "$python/DLLs"
  tar -C "$library" --exclude=test --exclude=__pycache__ --exclude='*.so' -cf - . | tar -C "$python/Lib" -xf -
  x86_64-w64-mingw32-gcc-posix -O1 -municode -static -o "$python/python.exe" tests/python/windows/python.c
  rm -r "$python/download"
  echo "$wanted" >"$python/made"
fi
echo "$PWD/$python"
