#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that `coracle predict` answers as PaddleX does: the same classes, texts and boxes. The expectations were made by make_goldens.py.

    expected_test.py --program PATH --shared DIR --demo-models DIR

Models and pictures that are absent are named and left out; exit code 77, which ctest counts as skipped, if all are."""
import argparse
import json
import math
import pathlib
import subprocess
import sys

SKIPPED = 77
SCORES = 2e-4  # how far scores may differ: models run in other sums
BOX_SCORES = 1e-3  # and those of boxes of text: versions of OpenCV count other pixels on slanted edges
MASKS = 1e-3  # parts of masks may differ, at their edges
MARKS = 8  # pixels of a map of anomalies whose score may lie on either side of the threshold
POLYGONS = 3  # and, in pixels of the picture, outlines of bent text: Clipper rounds while it looks for crossings
PIXELS = 0.5  # and sides of boxes of objects, which models compute
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def named_scores_differ(want, got):
    """Lists of names with scores; names of nearly equal scores may change places."""
    if sorted(w["name"] for w in want) != sorted(g["name"] for g in got):
        return True
    by_name = {(g["id"], g["name"]): g["score"] for g in got}
    return any(abs(by_name.get((w["id"], w["name"]), 9) - w["score"]) > SCORES for w in want)


def apart(polygon, other):
    """How far the points of a polygon are from the outline of another one, at most."""
    def distance(p, a, b):
        along = [b[0] - a[0], b[1] - a[1]]
        whole = along[0] ** 2 + along[1] ** 2
        at = min(max(((p[0] - a[0]) * along[0] + (p[1] - a[1]) * along[1]) / whole, 0), 1) if whole else 0
        return math.hypot(p[0] - a[0] - at * along[0], p[1] - a[1] - at * along[1])

    return max(min(distance(p, a, b) for a, b in zip(other, other[1:] + other[:1])) for p in polygon)


def boxes_differ(want, got):
    def place_differs(w, g):
        if "polygon" in w:
            return max(apart(w["polygon"], g["polygon"]), apart(g["polygon"], w["polygon"])) > POLYGONS
        return w["corners"] != g["corners"]

    return len(want) != len(got) or any(place_differs(w, g) or abs(w["score"] - g["score"]) > BOX_SCORES for w, g in zip(want, got))


def objects_differ(want, got):
    """Boxes of equal scores may change places."""
    sides = lambda o: o["box"] + [v for corner in o.get("corners", ()) for v in corner]  # noqa: E731
    order = lambda o: (o["id"], round(o["score"], 3), [round(v) for v in o["box"]])  # noqa: E731
    pairs = list(zip(sorted(want, key=order), sorted(got, key=order)))
    return len(want) != len(got) or any(
        w["name"] != g["name"] or abs(w["score"] - g["score"]) > SCORES or len(sides(w)) != len(sides(g))
        or any(abs(a - b) > PIXELS for a, b in zip(sides(w), sides(g)))
        for w, g in pairs)


def inside(mask):
    """Area, middle and reach of a mask by its run lengths."""
    height, _ = mask["size"]
    area, sums, low, high, at = 0, [0, 0], [1 << 30] * 2, [-1] * 2, 0
    for i, count in enumerate(mask["counts"]):
        for place in range(at, at + count) if i % 2 else ():
            area += 1
            for axis, v in enumerate(divmod(place, height)):
                sums[axis], low[axis], high[axis] = sums[axis] + v, min(low[axis], v), max(high[axis], v)
        at += count
    return area, [s / max(area, 1) for s in sums], [low[0], high[0], low[1], high[1]], at


def instances_differ(want, got):
    """In the model's order."""
    if len(want) != len(got):
        return True
    for w, g in zip(want, got):
        area, middle, reach, pixels = inside(g["mask"])
        box = w.get("box", [w["reach"][0], w["reach"][2], w["reach"][1] + 1, w["reach"][3] + 1])
        pairs = [*zip(box, g["box"]), *zip(w["middle"], middle)]
        if (w["id"] != g["id"] or w["name"] != g["name"] or abs(w["score"] - g["score"]) > SCORES or any(abs(a - b) > PIXELS for a, b in pairs)
                or area != g["area"] or abs(w["area"] - area) > MASKS * w["area"] or any(abs(a - b) > 1 for a, b in zip(w["reach"], reach))
                or pixels != g["mask"]["size"][0] * g["mask"]["size"][1]):
            return True
    return False


def points_differ(want, got):
    found = [[k["x"], k["y"], k["score"]] for k in got["keypoints"]]
    return len(found) != len(want["points"]) or abs(want["score"] - got["score"]) > SCORES or any(
        abs(a[0] - b[0]) > PIXELS or abs(a[1] - b[1]) > PIXELS or abs(a[2] - b[2]) > SCORES for a, b in zip(want["points"], found))


def differs(task, want, got):
    if task in ("classification", "multilabel"):
        return named_scores_differ(want["labels"], got["labels"])
    if task == "text-detection":
        return boxes_differ(want["boxes"], got["boxes"])
    if task == "text-recognition":
        return want["text"] != got["text"] or abs(want["score"] - got["score"]) > SCORES
    if task == "object-detection":
        return objects_differ(want["objects"], got["objects"])
    if task == "instance-segmentation":
        return instances_differ(want["objects"], got["objects"])
    if task == "keypoints":
        return points_differ(want, got)
    if task == "table-structure":
        return want["html"] != got["html"] or want["cells"] != got["cells"] or abs(want["score"] - got["score"]) > SCORES
    if task == "features":
        return len(want["features"]) != len(got["features"]) or any(abs(w - g) > SCORES for w, g in zip(want["features"], got["features"]))
    if task == "unwarping":
        return want["page"] != got["page"]
    if task == "anomaly":
        numbers = ("greatest", "mean")
        return any(abs(want["map"][n] - got["map"][n]) > SCORES for n in numbers) or any(
            want["map"][n] != got["map"][n] for n in ("width", "height")) or abs(want["map"]["marked"] - got["map"]["marked"]) > MARKS
    # A pixel in ten thousand may lie on an edge.
    found = {str(c["id"]): c["pixels"] for c in got["classes"]}
    allowed = got["width"] * got["height"] / 1e4
    return any(abs(found.get(i, 0) - want["pixels"].get(i, 0)) > allowed for i in found.keys() | want["pixels"].keys())


def path_of(name, shared, demo_models):
    """Where a model or picture of expected.json lies."""
    places = {"shared": shared / "models", "demo": demo_models / "models", "source": ROOT}
    place, rest = name.split("/", 1)
    return places[place] / rest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--shared", type=pathlib.Path, required=True)
    parser.add_argument("--demo-models", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    path = lambda name: path_of(name, arguments.shared, arguments.demo_models)  # noqa: E731
    checked = failures = 0
    for case in json.loads((HERE / "expected.json").read_text("utf-8")):
        wanted = {str(path(a["picture"])): a for a in case["answers"] if path(a["picture"]).is_file()}
        if not path(case["model"]).is_dir() or not wanted:
            print("left out: %s, whose model or pictures are absent" % case["model"])
            continue
        command = [arguments.program, "predict", path(case["model"]), *wanted, "--json"]
        if case["description"]:
            command += ["--description", HERE / "descriptions" / case["description"]]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if run.returncode != 0:
            sys.exit("exit code %d: %s" % (run.returncode, " ".join(map(str, command))))
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        if [a["picture"] for a in answers] != list(wanted):
            sys.exit("%s: answers for other pictures" % case["model"])
        for got in answers:
            want = wanted[got["picture"]]
            checked += 1
            if got["task"] != case["task"] or differs(case["task"], want, got):
                failures += 1
                print("%s %s:\n  expected %s\n  found    %s" % (case["model"], case["description"], json.dumps(want)[:2000], json.dumps(got)[:2000]))
    if checked == 0:
        print("skipped: neither models nor pictures")
        sys.exit(SKIPPED)
    print("%d answers, %d differ" % (checked, failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
