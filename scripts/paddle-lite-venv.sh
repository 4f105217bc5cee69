#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/paddle-lite-venv: Paddle Lite 2.13-rc, with its opt. Its wheels are for Python 3.7 to 3.10, of which one has to be there.
set -eu
cd "$(dirname "$0")/.."

venv=build/paddle-lite-venv
[ -f "$venv/complete" ] && exit 0
for python in "${PADDLE_LITE_PYTHON:-}" python3.10 python3.9 python3.8 "$HOME"/.pyenv/versions/3.10.*/bin/python; do
  [ -n "$python" ] && "$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 10))' 2>/dev/null && break
  python=
done
[ -n "$python" ] || { echo "Paddle Lite wants Python 3.8 to 3.10: PADDLE_LITE_PYTHON names one" >&2; exit 77; }
mkdir -p build
"$python" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check 'numpy<2' paddlelite==2.13rc0 >&2
touch "$venv/complete"
