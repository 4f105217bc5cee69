#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages for Go: their tests, go vet, and the example on the demo's picture.
#   go_test.sh BUILD_DIR DEMO_MODELS
set -eu
. "$(dirname "$0")/functions.sh"
needs go golang-go
prepare
cd "$source/bindings/go"
GOCACHE=$build/go-cache GOPATH=$build/go GOFLAGS= GOPROXY=off GOTOOLCHAIN=local
export GOCACHE GOPATH GOFLAGS GOPROXY GOTOOLCHAIN
[ -z "$(gofmt -l .)" ] || { echo "gofmt -w would change: $(gofmt -l .)"; exit 1; }
go vet ./...
go test -count=1 ./...
go build -o "$work/read_text" ./examples/read_text
reads_the_demo "$work/read_text"
