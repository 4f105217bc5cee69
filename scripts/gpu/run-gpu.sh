#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves Coracle on this machine's GPU, within ten minutes: run-gpu.sh [--quick] [--out FOLDER] [PART...]
set -eu
command -v python3 >/dev/null || { echo "run-gpu.sh: python3 was not found; install Python 3.8 or later" >&2; exit 2; }
exec python3 "$(dirname "$0")/gpu/run_gpu.py" "$@"
