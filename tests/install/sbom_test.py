#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials is SPDX 2.3 as its specification wants it, has all that is compiled in and loaded, and the checksums hold.

    sbom_test.py SOURCE_DIR BINARY...
"""
import json
import os
import re
import subprocess
import sys
import tempfile

EPOCH = "1700000000"
# Of the SPDX licence list.
LICENSES = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "MIT", "libpng-2.0", "IJG", "Zlib", "LGPL-2.1-or-later",
            "GPL-2.0-or-later", "GPL-3.0-or-later", "GCC-exception-3.1", "FTL"}
RELATIONS = {"DESCRIBES", "GENERATES", "STATIC_LINK", "DYNAMIC_LINK", "DEPENDS_ON"}
OWN_HEADERS = {"arpa", "coracle", "netinet", "sys"}
PLAIN_HEADERS = {"ft2build.h", "yaml.h", "zlib.h"}  # that libraries have outside a folder of their own
OWN_LIBRARIES = {"libcoracle", "libcoracle_quantize", "libcoracle_vision", "libpaddle_inference_c"}


def expect(holds, what):
    if not holds:
        sys.exit("sbom: " + what)


def check_document(bill):
    for field in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages", "relationships"):
        expect(field in bill, f"there is no {field}")
    expect(bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0", "version or licence of the document")
    expect(bill["SPDXID"] == "SPDXRef-DOCUMENT", "the document's identifier")
    expect(re.fullmatch(r"https://[^#\s]+", bill["documentNamespace"]), "the namespace is not a URI without a fragment")
    expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"]["created"]), "the time of creation")
    expect(all(re.match(r"(Person|Organization|Tool): \S", c) for c in bill["creationInfo"]["creators"]), "the creators")
    identifiers = [p["SPDXID"] for p in bill["packages"]]
    expect(len(set(identifiers)) == len(identifiers), "an identifier stands twice")
    for package in bill["packages"]:
        check_package(package)
    known = {*identifiers, "SPDXRef-DOCUMENT"}
    for relation in bill["relationships"]:
        expect(relation["relationshipType"] in RELATIONS, f"unknown relation {relation}")
        expect({relation["spdxElementId"], relation["relatedSpdxElement"]} <= known, f"{relation} names what there is not")
    related = {r["relatedSpdxElement"] for r in bill["relationships"]}
    expect(set(identifiers) <= related, f"nothing is said of {set(identifiers) - related}")


def check_package(package):
    name = package["name"]
    expect(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]), f"{name}: identifier")
    expect(package["filesAnalyzed"] is False, f"{name}: files are not listed")
    expect(re.fullmatch(r"NOASSERTION|https?://\S+", package["downloadLocation"]), f"{name}: download location")
    expect(re.match(r"(Person|Organization): \S", package["supplier"]), f"{name}: supplier")
    for field in ("licenseConcluded", "licenseDeclared"):
        parts = set(re.split(r" (?:AND|OR|WITH) ", package[field]))
        expect(parts <= LICENSES, f"{name}: unknown licence {package[field]}")


def loaded_by(binary):
    """Names of the libraries that a binary loads, without version."""
    listed = subprocess.run(["readelf", "-dW", binary], capture_output=True, text=True, check=True).stdout
    return {re.sub(r"\.so.*", "", name) for name in re.findall(r"NEEDED.*\[(.*)\]", listed)}


def check_completeness(source, binaries):
    with open(os.path.join(source, "packaging", "dependencies.json"), encoding="utf-8") as file:
        dependencies = json.load(file)["dependencies"]
    headers = {h for d in dependencies for h in d.get("headers", [])}
    libraries = {l for d in dependencies for l in d.get("libraries", [])}
    included = set()
    for top in ("src", "include"):
        for path, _, files in os.walk(os.path.join(source, top)):
            for name in (f for f in files if f.endswith((".h", ".cc"))):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    text = file.read()
                included |= set(re.findall(r"#include <([A-Za-z0-9_]+)/", text))
                included |= PLAIN_HEADERS & set(re.findall(r"#include <([a-z0-9_]+\.h)>", text))
    expect(included - OWN_HEADERS == headers, f"the sources include {sorted(included - OWN_HEADERS)}, listed are {sorted(headers)}")
    loaded = set().union(*(loaded_by(b) for b in binaries)) - OWN_LIBRARIES
    expect(loaded <= libraries, f"not listed: {sorted(loaded - libraries)}")


def make_bill(source, folder):
    env = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    subprocess.run([sys.executable, os.path.join(source, "scripts", "sbom.py"), "1.2.3", folder], check=True, env=env)
    with open(os.path.join(folder, "coracle-1.2.3.spdx.json"), encoding="utf-8") as file:
        return file.read()


def main():
    source, binaries = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("coracle_1.2.3_amd64.deb", "coracle-1.2.3.tar.gz"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(name)
        text = make_bill(source, folder)
        bill = json.loads(text)
        check_document(bill)
        expect(sum("checksums" in p for p in bill["packages"]) == 2, "the packages' checksums")
        subprocess.run(["sha256sum", "--quiet", "--strict", "-c", "SHA256SUMS"], cwd=folder, check=True)
        expect(make_bill(source, folder) == text, "made again it differs")
    check_completeness(source, binaries)


if __name__ == "__main__":
    main()
