#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a Java program on models that a program wrote; it fails if Java's checks of JNI print a line, too.
#   java_test.sh JAVA BUILD_DIR CLASSES PROGRAM WRITE_MODELS
set -eu
java=$1 build=$2 classes=$3 program=$4 write_models=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$write_models" "$work/models"
export LC_ALL=C.UTF-8  # which names of files Java can say follows from it
export OCL_ICD_VENDORS="$work"  # no OpenCL: drivers set signal handlers, which the checks would name
status=0
"$java" -Xcheck:jni -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m -Djava.library.path="$build" \
  -cp "$build/PaddlePredictor.jar:$classes" "$program" "$work/models" >"$work/out" 2>&1 || status=$?
cat "$work/out"
if grep -i 'warning\|fatal error' "$work/out" | grep -qvi 'restricted\|native-access\|loadLibrary'; then  # which Java 24 on says of any library
  echo "java_test: Java found a mistake in the calls of JNI" >&2
  exit 1
fi
exit $status
