#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/oracle-venv: the real Paddle 2.6.2 and what the demo's oracle needs besides.
#   scripts/oracle-venv.sh 3.3     makes build/oracle-venv-3.3: Paddle 3.3.1
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
  "") venv=build/oracle-venv requirements=tests/demo/requirements.txt ;;
  3.3) venv=build/oracle-venv-3.3 requirements=tests/oracle/requirements-3.3.txt ;;
  *) echo "usage: $0 [3.3]" >&2; exit 2 ;;
esac
[ -f "$venv/complete" ] && exit 0
mkdir -p build
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
"$python" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" >&2
touch "$venv/complete"
