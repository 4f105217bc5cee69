# SPDX-License-Identifier: Apache-2.0
# For the tests of this folder: $build and $source, a temporary folder $work that goes away, in it the models of the tests
# ($CORACLE_TEST_MODELS) and what pkg-config says of the build, and where its libraries are found.
build=$(cd "$1" && pwd)
demo_models=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Ends the test where a program is not there: needs PROGRAM PACKAGE
needs() { command -v "$1" > /dev/null || { echo "skipped: there is no $1 (Debian: $2)"; exit 77; }; }

prepare() {
  CORACLE_TEST_MODELS=$work/models
  "$build/write_binding_models" "$CORACLE_TEST_MODELS"
  printf 'Name: coracle\nDescription: the build\nVersion: 0\nlibdir=%s\nCflags: -I%s/include\nLibs: -L%s -lcoracle\n' "$build" "$source" "$build" > "$work/coracle.pc"
  PKG_CONFIG_PATH=$work${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
  LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export CORACLE_TEST_MODELS PKG_CONFIG_PATH LD_LIBRARY_PATH
}

# The lines that an example printed, in the file $1, are those of the demo: reads_the_demo COMMAND...
reads_the_demo() {
  if [ ! -d "$demo_models/models" ]; then
    echo "the example was not run: there are no models in $demo_models (make models)"
    return 0
  fi
  "$@" "$demo_models" "$source/examples/ocr/demo.jpg" > "$work/lines" || { cat "$work/lines"; return 1; }
  python3 "$source/tests/bindings/expect_lines.py" "$source/tests/demo/expected.json" "$work/lines"
}
