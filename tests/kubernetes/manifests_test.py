# SPDX-License-Identifier: Apache-2.0
"""packaging/kserve and packaging/helm: valid for Kubernetes, KServe and helm, and the server runs with what they give it."""
import copy
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import urllib.request

import kubernetes_validate
import pytest
import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

import kserve_types
import program_file

KSERVE, CHART = ROOT / "packaging/kserve", ROOT / "packaging/helm/coracle-serve"
# The fields that the chart uses of types for which PyPI has no schema, with what must be there.
OTHERS = {"ScaledObject": ("keda.sh/v1alpha1", {"scaleTargetRef", "triggers"}, {"minReplicaCount", "maxReplicaCount"}),
          "ServiceMonitor": ("monitoring.coreos.com/v1", {"selector", "endpoints"}, set())}
EVERYTHING = ["serviceMonitor.enabled=true", "serviceMonitor.labels.release=prometheus", "podAnnotations.a=b", "nodeSelector.a=b",
              "imagePullSecrets[0].name=secret", "service.annotations.a=b", "options.threads=2", "options.model-control=poll"]
VALUES = {"defaults": [], "autoscaling": ["autoscaling.enabled=true", "autoscaling.pendingRequests=4"],
          "keda": ["keda.enabled=true", *EVERYTHING], "without": ["podDisruptionBudget.enabled=false", "autoscaling.enabled=true", "autoscaling.cpuPercent=0"]}


def document(name):
    return yaml.safe_load((KSERVE / name).read_text("utf-8"))


def helm(*arguments):
    return subprocess.run([os.environ["HELM"], *map(str, arguments)], capture_output=True, text=True, env={**os.environ, "HOME": "/nonexistent"})


def rendered(*values):
    done = helm("template", "texts", CHART, "--namespace", "ml", *(word for value in values for word in ("--set", value)))
    assert done.returncode == 0, done.stderr
    return {each["kind"]: each for each in yaml.safe_load_all(done.stdout) if each}


def check_by_kubernetes(manifest):
    kubernetes_validate.validate(manifest, "1.35", strict=True)


def container_of(manifest):
    spec = manifest["spec"]
    return (spec if "containers" in spec else spec["template"]["spec"])["containers"][0]


def test_what_is_for_kserve_has_its_types():
    runtime, service = document("serving_runtime.yaml"), document("inference_service.yaml")
    assert kserve_types.faults(runtime, "V1alpha1ClusterServingRuntime") == []
    assert kserve_types.faults(service, "V1beta1InferenceService") == []
    check_by_kubernetes({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [container_of(runtime)]}})
    formats = [(each["name"], each["version"]) for each in runtime["spec"]["supportedModelFormats"]]
    model = service["spec"]["predictor"]["model"]
    assert (model["modelFormat"]["name"], model["modelFormat"]["version"]) in formats
    assert model["runtime"] == runtime["metadata"]["name"] and model["protocolVersion"] in runtime["spec"]["protocolVersions"]
    assert container_of(runtime)["name"] == "kserve-container"   # Another name would not be found.


def test_the_checks_see_faults():
    runtime = document("serving_runtime.yaml")
    for change in ({"supportedModelFormat": []}, {"multiModel": "no"}, {"supportedModelFormats": [{"name": "paddle", "version": 2}]}):
        wrong = copy.deepcopy(runtime)
        wrong["spec"].update(change)
        assert len(kserve_types.faults(wrong, "V1alpha1ClusterServingRuntime")) == 1
    wrong = container_of(runtime)
    wrong["readinesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        check_by_kubernetes({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [wrong]}})


@pytest.mark.parametrize("name", VALUES)
def test_the_chart_renders_to_valid_manifests(name):
    manifests = rendered(*VALUES[name])
    for kind, manifest in manifests.items():
        if kind in OTHERS:
            version, needed, allowed = OTHERS[kind]
            assert manifest["apiVersion"] == version and needed <= manifest["spec"].keys() <= needed | allowed
        else:
            check_by_kubernetes(manifest)
    wanted = {"ConfigMap", "Deployment", "Service"} | {"defaults": {"PodDisruptionBudget"}, "without": {"HorizontalPodAutoscaler"},
              "autoscaling": {"HorizontalPodAutoscaler", "PodDisruptionBudget"},
              "keda": {"ScaledObject", "ServiceMonitor", "PodDisruptionBudget"}}[name]
    assert manifests.keys() == wanted
    template = manifests["Deployment"]["spec"]["template"]
    selector = manifests["Deployment"]["spec"]["selector"]["matchLabels"]
    assert selector.items() <= template["metadata"]["labels"].items() and manifests["Service"]["spec"]["selector"] == selector
    assert ("replicas" in manifests["Deployment"]["spec"]) == (name == "defaults")   # An autoscaler's number is its own.
    ports = {port["name"] for port in container_of(manifests["Deployment"])["ports"]}
    assert {port["targetPort"] for port in manifests["Service"]["spec"]["ports"]} == ports
    volumes = {volume["name"] for volume in template["spec"]["volumes"]}
    assert {mount["name"] for mount in container_of(manifests["Deployment"])["volumeMounts"]} == volumes


def test_the_chart_passes_helms_lint_and_refuses_wrong_values():
    assert helm("lint", "--strict", CHART).returncode == 0
    for value in ("replicaCount=-1", "image.pullPolicy=Maybe", "options.host=a", "option.threads=1", "service.port=0", "models.volume=null",
                  "keda.enabled=true,autoscaling.enabled=true"):
        done = helm("template", "texts", CHART, "--set", value)
        assert done.returncode != 0 and "schema" in done.stderr, (value, done.stderr)


def options_of_program():
    text = subprocess.run([os.environ["CORACLE_SERVE"], "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", text, re.M))


def serve_conf(manifests):
    return manifests["ConfigMap"]["data"]["serve.conf"]


def test_every_option_is_one_of_the_server():
    manifests = rendered(*EVERYTHING)
    runtime = container_of(document("serving_runtime.yaml"))
    given = [*runtime["args"], *container_of(manifests["Deployment"])["args"],
             *("--" + line.split(" = ")[0] for line in serve_conf(manifests).splitlines())]
    assert len(given) > 12
    assert {word.split("=")[0] for word in given if word.startswith("--")} <= options_of_program()


class Running:
    """The server with a container's arguments, on free ports of 127.0.0.1."""

    def __init__(self, container, replaced):
        words = []
        for word in container["args"]:
            for text, other in replaced.items():
                word = word.replace(text, str(other))
            words.append(re.sub(r"-port=\d+$", "-port=0", word).replace("0.0.0.0", "127.0.0.1"))
        self.process = subprocess.Popen([os.environ["CORACLE_SERVE"], *words], stderr=subprocess.PIPE, text=True)
        self.lines, self.ports = [], {}
        for line in self.process.stderr:
            self.lines.append(line)
            if found := re.search(r"(HTTP|metrics) at http://127.0.0.1:(\d+)", line):
                self.ports[found[1]] = int(found[2])
            if len(self.ports) == 2:
                break
        assert len(self.ports) == 2, "".join(self.lines)
        threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True).start()

    def get(self, path, port="HTTP"):
        with urllib.request.urlopen("http://127.0.0.1:%d%s" % (self.ports[port], path), timeout=30) as answer:
            return answer.read().decode()


@pytest.mark.parametrize("of", ["kserve", "helm"])
def test_the_server_runs_with_the_arguments(of, tmp_path):
    folder = tmp_path / ("model" if of == "kserve" else "models/m/1")
    folder.mkdir(parents=True)
    for suffix, data in zip((".pdmodel", ".pdiparams"), program_file.linear()):
        (folder / ("inference" + suffix)).write_bytes(data)
    if of == "kserve":
        runtime = document("serving_runtime.yaml")
        container, replaced = container_of(runtime), {"{{.Name}}": "m", "/mnt/models": folder, "pre-stop-ms=5000": "pre-stop-ms=200"}
        metrics = runtime["spec"]["annotations"]["prometheus.kserve.io/path"]
    else:
        manifests = rendered("options.pre-stop-ms=200", "serviceMonitor.enabled=true")
        (tmp_path / "serve.conf").write_text(serve_conf(manifests).replace("/models", str(tmp_path / "models")))
        container, replaced = container_of(manifests["Deployment"]), {"/etc/coracle": tmp_path}
        metrics = manifests["ServiceMonitor"]["spec"]["endpoints"][0]["path"]
    server = Running(container, replaced)
    try:
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            server.get(container[probe]["httpGet"]["path"])
        assert json.loads(server.get("/v2/models/m"))["name"] == "m"
        assert "nv_inference_pending_request_count" in server.get(metrics, "metrics")   # What autoscalers go by.
    finally:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(20) == 0, "".join(server.lines)
