#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/oracle-venv: the real Paddle and what the demo's oracle needs besides.
set -eu
cd "$(dirname "$0")/.."

[ -f build/oracle-venv/complete ] && exit 0
mkdir -p build
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
"$python" -m venv build/oracle-venv
build/oracle-venv/bin/pip install --quiet --disable-pip-version-check -r tests/demo/requirements.txt >&2
touch build/oracle-venv/complete
