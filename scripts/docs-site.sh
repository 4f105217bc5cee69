#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation site into build/docs-site and checks its links. What builds it is in build/docs-venv; exit code 77 says that
# it could not be installed.
set -eu
cd "$(dirname "$0")/.."

venv=build/docs-venv
mkdir -p build
scripts/venv.sh "$venv" docs/requirements.txt >build/docs-venv.log 2>&1 || {
  cat build/docs-venv.log
  grep -q 'from versions: none\|ConnectionError\|NewConnectionError\|Temporary failure\|timed out' build/docs-venv.log || exit 1
  echo "docs: skipped, mkdocs cannot be installed: PyPI is not reached"
  exit 77
}
NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1 "$venv/bin/mkdocs" build --quiet --strict
"$venv/bin/python" scripts/docs/links.py build/docs-site
