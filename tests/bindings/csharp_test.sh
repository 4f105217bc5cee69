#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The classes for C# in Mono: places of fields, their tests, and the example on the demo's picture.
#   csharp_test.sh BUILD_DIR DEMO_MODELS
set -eu
. "$(dirname "$0")/functions.sh"
needs mcs mono-mcs
needs mono mono-runtime
prepare
cd "$source/bindings/csharp"
compile="mcs -langversion:7.2 -warnaserror"
$compile -target:library -nowarn:169,649 -doc:"$work/Coracle.xml" -nowarn:1591 -out:"$work/Coracle.dll" src/*.cs
$compile -r:"$work/Coracle.dll" -out:"$work/InterfaceTests.exe" tests/InterfaceTests.cs
$compile -r:"$work/Coracle.dll" -out:"$work/ReadText.exe" examples/ReadText.cs
LC_ALL=C.UTF-8
export LC_ALL
mono "$work/InterfaceTests.exe" --layout > "$work/layout"
python3 "$source/scripts/bindings/check.py" --layout "$work/layout"
mono "$work/InterfaceTests.exe"
reads_the_demo mono "$work/ReadText.exe"
