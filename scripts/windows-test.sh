#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a build for Windows in wine: the program on models with Unicode names, what it says and how it ends; models whose results are
# known; tests of the library's inside.
#   scripts/windows-test.sh [--all]
#   scripts/windows-test.sh --programs     names the programs of tests
set -u

programs="base_tests archive_tests model_tests paddle_tests"
# A model of each kind that is quick: vision in float32 and int8, text, recurrence.
models="ppocr-v2.0-cls ppocr-v2.0-en-rec ch_PP-OCRv3_rec_slim_infer paddleslim-int8-mobilenet_v1 zoo-bilstm_ctc zoo-ernie_tiny zoo-yolo_head"

case "${1:-}" in
  --programs) echo $programs; exit ;;
  "" | --all) ;;
  *) echo "usage: $0 [--all | --programs]" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/windows
wine=$root/scripts/wine.sh
logs=$build/windows-test
rm -rf "$logs"
mkdir -p "$logs"
failed=""

# expect NAME CODE TEXT COMMAND...: the command ends with that code and says that text.
expect() {
  name=$1 code=$2 text=$3
  shift 3
  status=0
  "$@" >"$logs/$name" 2>&1 </dev/null || status=$?
  if [ $status != "$code" ] || ! grep -qF -- "$text" "$logs/$name"; then
    echo "windows: $name: FAILED: expected exit code $code and '$text', found $status and:"
    head -n 5 "$logs/$name" | cut -c 1-300
    failed="$failed $name"
  else
    echo "windows: $name: ok"
  fi
}

# python_for_windows ARGUMENT...: with pipes for its streams, since wine's files are none that Python takes.
python_for_windows() {
  : | sh -c '"$@" 2>&1; echo "python ended with $?"' - "$wine" "$python/python.exe" "$@" | tr -d '\r'
}

"$wine" cmd /c exit || exit 77
program=$build/coracle.exe
expect version 0 "coracle " "$wine" "$program" --version
expect usage 2 "there is no command 'rnu'" "$wine" "$program" rnu
expect missing 5 "no such model" "$wine" "$program" inspect 'C:\no\such\モデル.pdmodel'
# needs FILE...: no library but Windows' own.
needs() {
  others=$(x86_64-w64-mingw32-objdump -p "$@" | sed -n 's/.*DLL Name: //p' | sort -u |
    grep -viE '^(kernel32|msvcrt|advapi32|shell32|psapi|user32|coracle|coracle_quantize|coracle_vision)\.dll$')
  [ -z "$others" ] || { echo "windows: FAILED: needs $others"; failed="$failed libraries"; }
}
needs "$build"/*.dll "$program" "$build/coracle-ocr.exe"
# Each function of the headers is in its DLL, in the import library and in the list that MSVC can make one of.
expect exports 0 "functions compared" python3 "$root/scripts/check_abi.py" "$build" --windows

model=$root/build/demo-models/models/ch_ppocr_mobile_v2_cls_infer
if [ -d "$model" ]; then
  folder="$logs/Модель 模型 \"x"
  folder=$(echo "$folder" | tr -d '"')  # no name on Windows has quotes
  cp -r "$model" "$folder"
  expect run 0 '"outputs"' "$wine" "$program" run "$folder" --shape x=1,3,48,192 --json --output-dir "$folder/ответ"
  [ -s "$folder/ответ/0.npy" ] || { echo "windows: FAILED: no ответ/0.npy"; failed="$failed unicode"; }
  # What is written as a whole replaces what is there, also read-only and mapped.
  expect save 0 "MiB" "$wine" "$program" optimize "$folder" -o "$folder/сохранено.coracle"
  expect again 0 "MiB" "$wine" "$program" optimize "$folder/сохранено.coracle" -o "$folder/сохранено.coracle"
  expect saved 0 '"outputs"' "$wine" "$program" run "$folder/сохранено.coracle" --shape x=1,3,48,192 --json --threads 2
  left=$(find "$folder" -name '*.tmp' -o -name '*.old')
  [ -z "$left" ] || { echo "windows: FAILED: left $left"; failed="$failed left"; }
  # The same through cmd.exe, with its quoting.
  cp -r "$model" "$logs/a & b (100%)"
  printf '@"%s" run "a & b (100%%%%)" --shape x=1,3,48,192 --json\r\n' "$("$wine" winepath -w "$program" | tr -d '\r')" >"$logs/quoting.bat"
  (cd "$logs" && expect quoting 0 '"outputs"' "$wine" cmd /c quoting.bat; [ -z "$failed" ]) || failed="$failed quoting"

  # Models are kept by one process and mapped by the next, in a folder whose name is Unicode.
  kept="$logs/Оставлено 保存 é"
  export CORACLE_CACHE="$kept"
  expect keeps 0 '"outputs"' "$wine" "$program" run "$folder" --shape x=1,3,48,192 --json --threads 1
  touch -d '2 hours ago' "$kept"/*.coracle
  number=$(stat -c %i "$kept"/*.coracle)
  expect kept 0 '"outputs"' "$wine" "$program" run "$folder" --shape x=1,3,48,192 --json --threads 1
  cmp -s "$logs/keeps" "$logs/kept" || { echo "windows: FAILED: a kept model has other results"; failed="$failed kept-results"; }
  # What is taken is marked as used, and stays the same file.
  [ "$(find "$kept" -name '*.coracle' -mmin -60 -printf %i)" = "$number" ] || { echo "windows: FAILED: the kept model was not taken"; failed="$failed kept-taken"; }
  for i in 1 2 3; do
    for width in 160 320; do
      "$wine" "$program" run "$folder" --shape x=1,3,48,$width --json --threads 1 >"$logs/at-once-$width-$i" 2>&1 </dev/null &
    done
  done
  wait
  for width in 160 320; do
    CORACLE_CACHE="" expect "uncached-$width" 0 '"outputs"' "$wine" "$program" run "$folder" --shape x=1,3,48,$width --json --threads 1
    for i in 1 2 3; do
      cmp -s "$logs/at-once-$width-$i" "$logs/uncached-$width" || { echo "windows: FAILED: at-once-$width-$i: $(head -c 300 "$logs/at-once-$width-$i")"; failed="$failed at-once"; }
    done
  done
  [ "$(find "$kept" -type f | wc -l)" = 1 ] || { echo "windows: FAILED: left $(ls "$kept")"; failed="$failed kept-left"; }
  # Processes that are measured from their start on.
  expect cold 0 '"starts":2' "$wine" "$program" bench "$folder" --shape x=1,3,48,192 --threads 1 --cold 2 --json
  grep -qF "Оставлено 保存 é" "$logs/cold" || { echo "windows: FAILED: cold does not name the cache"; failed="$failed cold-cache"; }
  expect cold_fails 5 "coracle: no such model: 'C:/no/such'" "$wine" "$program" bench 'C:/no/such' --cold 1
  unset CORACLE_CACHE

  # A precision for each layer, by its time.
  mkdir "$folder/картины"
  for i in 1 2 3 4 5; do cp "$root/examples/ocr/demo.jpg" "$folder/картины/$i.jpg"; done
  expect auto 0 '"times_ms"' "$wine" "$program" quantize "$folder" --input "x=$folder/картины" --shape x=1,3,48,192 --threads 1 --type auto \
    --max-error 0.5 --state "$folder/состояние" --report "$folder/отчёт.json" --json -o "$folder/точность"
  expect auto_runs 0 '"outputs"' "$wine" "$program" run "$folder/точность" --shape x=1,3,48,192 --json
  [ -s "$folder/отчёт.json" ] && [ ! -e "$folder/состояние" ] || { echo "windows: FAILED: the report or the state of quantize"; failed="$failed auto-files"; }

  # Programs are those in PATH: what lies beside the files that are read is not started.
  mkdir "$logs/beside" "$logs/path"
  for place in beside path; do
    printf '#include <stdio.h>\nint main(void) { fputs("%s\\n", stderr); return 3; }\n' $place | x86_64-w64-mingw32-gcc-posix -x c - -o "$logs/$place/pdfinfo.exe"
  done
  : >"$logs/beside/a.pdf"
  cd "$logs/beside"
  detector=$root/build/demo-models/models/ch_PP-OCRv4_det_infer
  expect not_in_path 5 "which is not installed or not in PATH" "$wine" "$program" predict "$detector" --task text-detection a.pdf
  WINEPATH=$("$wine" winepath -w "$logs/path" | tr -d '\r') expect in_path 5 "pdfinfo says: path" "$wine" "$program" predict "$detector" --task text-detection a.pdf
  cd "$root"
else
  echo "windows: the program on models: skipped, there are none (make models)"
fi

# Text in the demo's picture, as the real Paddle reads it.
if [ -d "$model" ]; then
  printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$wine" "$build/coracle-ocr.exe" >"$logs/coracle-ocr"
  chmod +x "$logs/coracle-ocr"
  expect text 0 " 0 differences" python3 "$root/tests/demo/demo_test.py" --program "$logs/coracle-ocr" --models "$root/build/demo-models" \
    --expected "$root/tests/demo/expected.json" --root "$root"
  cp "$root/examples/ocr/demo.jpg" "$folder/картина.jpg"
  expect predict 0 '"task":"text-detection","boxes":[{"score":0.92615' "$wine" "$program" predict "$detector" --task text-detection "$folder/картина.jpg" \
    --json --draw "$folder/ответ"
  [ -s "$folder/ответ/картина_answer.png" ] || { echo "windows: FAILED: no ответ/картина_answer.png"; failed="$failed drawing"; }
fi

# The wheel in a Python for Windows.
wheel=$(ls "$root"/build/wheels-windows/coracle-*-win_amd64.whl 2>/dev/null || true)
if [ -n "$wheel" ]; then
  size=$(stat -c %s "$wheel")
  echo "windows: the wheel has $size bytes"
  # The libraries carry functions that nobody calls: of objects for Windows a linker leaves out little.
  [ "$size" -lt 9500000 ] || { echo "windows: FAILED: the wheel has 9,500,000 bytes or more"; failed="$failed size"; }
  rm -rf "$logs/wheel"
  python3 -m zipfile -e "$wheel" "$logs/wheel"
  needs $(find "$logs/wheel" -name '*.dll' -o -name '*.exe')
  python=$("$root/scripts/windows-python.sh")
  rm -rf "$python"/Lib/site-packages/coracle*
  "$root/build/python-venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --upgrade --platform win_amd64 --python-version 3.11 \
    --only-binary=:all: --target "$python/Lib/site-packages" "$wheel"
  (
    cd "$root/tests/python"
    PYTHONDONTWRITEBYTECODE=1 python_for_windows -m pytest -q -rs -p no:cacheprovider --basetemp ../../build/windows/windows-test/python-files windows goldens_test.py model_test.py session_test.py \
      async_test.py saved_test.py
  ) >"$logs/python"
  echo "windows: python: $(grep -E '(passed|failed|error)' "$logs/python" | tail -n 1)"
  grep -q 'python ended with 0' "$logs/python" || { failed="$failed python"; grep -E '^(E  |FAILED|tests|windows|[a-z]*_test)' "$logs/python" | head -n 60 | cut -c 1-300; }
else
  echo "windows: python: skipped, there is no wheel (make wheel-windows)"
fi

first="--first $models"
[ "${1:-}" != --all ] || first=""
status=0
"$wine" "$build/golden_test.exe" --threads 2 $first >"$logs/golden" 2>&1 || status=$?
[ $status = 77 ] && echo "windows: golden models: skipped, there are none" || {
  echo "windows: golden models: $(tail -n 1 "$logs/golden" | tr -d '\r')"
  [ $status = 0 ] || { failed="$failed golden"; grep -avE '  ok' "$logs/golden" | head -n 20 | cut -c 1-300; }
}
for test in $programs; do
  status=0
  "$wine" "$build/$test.exe" --gtest_brief=1 >"$logs/$test" 2>&1 || status=$?
  echo "windows: $test: $(tail -n 1 "$logs/$test" | tr -d '\r')"
  [ $status = 0 ] || { failed="$failed $test"; grep -aE -A 6 ': Failure|^\[  FAILED' "$logs/$test" | head -n 60 | cut -c 1-300; }
done
[ -z "$failed" ] || echo "windows-test: failed:$failed" >&2
[ -z "$failed" ]
