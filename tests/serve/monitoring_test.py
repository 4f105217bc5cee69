# SPDX-License-Identifier: Apache-2.0
"""packaging/monitoring: the dashboard and the alerts ask for what the server shows, and alerts fire when they should."""
import json
import pathlib
import re
import shutil

import numpy as np
import pytest
from metrics_test import promtool, values

HERE = pathlib.Path(__file__).resolve().parent
MONITORING = HERE.parents[1] / "packaging/monitoring"
ALERTS = MONITORING / "alerts.yml"


def dashboard():
    return json.loads((MONITORING / "grafana-dashboard.json").read_text("utf-8"))


def asked(text):
    return set(re.findall(r"\b(?:nv|coracle|process)_\w+", text))


@pytest.fixture
def shown(serve, linear):
    """Names of the metrics of a server that has answered a request, with those of their labels."""
    server = serve("m=%s" % linear)
    server.infer("m", {"x": np.ones((1, 4), np.float32)})
    labels = {}
    for series in values(server):
        labels.setdefault(series.split("{")[0], set()).update(re.findall(r'(\w+)="', series))
    return labels


def test_only_what_the_server_shows_is_asked_for(shown):
    expressions = [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]]
    expressions += [variable["query"]["query"] for variable in dashboard()["templating"]["list"] if variable["type"] == "query"]
    for text in (*expressions, re.sub("#.*", "", ALERTS.read_text("utf-8"))):
        assert asked(text) and asked(text) <= set(shown), asked(text) - set(shown)
    # Labels that a selector names are those of the metric, or Prometheus' own.
    for expression in expressions:
        for name, selector in re.findall(r"\b(\w+)\{([^}]*)\}", expression):
            assert set(re.findall(r"(\w+)=", selector)) <= shown[name] | {"job", "instance"}, expression


def test_panels_are_whole():
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) > 10
    assert all(panel["title"] and panel["targets"] for panel in panels)
    taken = [(x, y) for p in (panel["gridPos"] for panel in panels) for x in range(p["x"], p["x"] + p["w"]) for y in range(p["y"], p["y"] + p["h"])]
    assert len(taken) == len(set(taken)) and max(x for x, _ in taken) < 24


def test_rules_are_whole():
    checked = promtool("check", "rules", str(ALERTS))
    assert checked.returncode == 0 and "SUCCESS: 10 rules" in checked.stdout, checked.stderr


def test_alerts_fire_when_they_should(tmp_path):
    shutil.copy(ALERTS, tmp_path)
    cases = (HERE / "alerts_test.yml").read_text("utf-8")
    (tmp_path / "cases.yml").write_text(cases)
    checked = promtool("test", "rules", str(tmp_path / "cases.yml"))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    (tmp_path / "cases.yml").write_text(cases.replace("values: 1000x60", "values: 10x60"))
    assert promtool("test", "rules", str(tmp_path / "cases.yml")).returncode != 0


def test_expressions_of_the_dashboard_are_promql(tmp_path):
    """As rules, with values for what Grafana fills in."""
    lines = ["groups:", "  - name: d", "    rules:"]
    for i, target in enumerate(target for panel in dashboard()["panels"] for target in panel["targets"]):
        expression = re.sub(r"\$(job|instance|model)", ".*", target["expr"]).replace("$__rate_interval", "5m")
        lines += ["      - record: e%d" % i, "        expr: %s" % json.dumps(expression)]
    (tmp_path / "rules.yml").write_text("\n".join(lines) + "\n")
    checked = promtool("check", "rules", str(tmp_path / "rules.yml"))
    assert checked.returncode == 0, checked.stderr
