#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fill_weights.sh SHARED FILLED PYTHON: generates the weights of the programs in SHARED/models/program-only* into FILLED,
# unless they are there. Exit status 77 (skipped) where the reference folder or numpy is absent.
set -eu
shared=$1
filled=$2
python=${3:-python3}

[ -f "$shared/tools/fill_weights.py" ] || { echo "skipped: the reference folder $shared is absent"; exit 77; }
[ -f "$filled/.complete" ] && exit 0
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || { echo "skipped: $python has no numpy"; exit 77; }

mkdir -p "$filled"
"$python" "$shared/tools/fill_weights.py" --all "$shared/models/program-only" "$shared/models/program-only-pir" \
  "$shared/models/program-only-zoo" "$shared/models/program-only-zoo-pir" --out "$filled" \
  --manifest "$shared/goldens/filled.json" --check
touch "$filled/.complete"
