#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes beside the packages what they are made of (coracle-VERSION.spdx.json, SPDX 2.3) and their checksums (SHA256SUMS).

    sbom.py VERSION FOLDER

What is in them is packaging/dependencies.json; dpkg tells the versions this machine built with. The time is SOURCE_DATE_EPOCH, or
now: with it the same packages have the same bill.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

DEPENDENCIES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging", "dependencies.json")
HOME = "https://coracle.invalid/spdx"
UNKNOWN = "NOASSERTION"


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def installed_version(debian):
    """The version of a Debian package, or none."""
    try:
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", debian], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return asked.stdout.strip() if asked.returncode == 0 and asked.stdout.strip() else None


def upstream(version):
    """That of the project, without Debian's epoch and revision."""
    return re.sub(r"([+.]ds\d*|\+dfsg\d*|\.dfsg)?(-[^-]*)?$", "", version.split(":", 1)[-1])


def dependency_package(entry):
    version = installed_version(entry["debian"])
    package = {
        "SPDXID": identifier(entry["name"]),
        "name": entry["name"],
        "versionInfo": upstream(version) if version else UNKNOWN,
        "supplier": "Organization: " + entry["supplier"],
        "downloadLocation": entry["home"],
        "homepage": entry["home"],
        "filesAnalyzed": False,
        "licenseConcluded": entry["license"],
        "licenseDeclared": entry["license"],
        "copyrightText": UNKNOWN,
        "comment": "in " + entry["in"],
    }
    if version:
        locator = f"pkg:deb/debian/{entry['debian'].replace('+', '%2B')}@{version.replace('+', '%2B').replace(':', '%3A')}"
        package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]
    return package


def own_package(name, version, path=None):
    package = {
        "SPDXID": identifier(name),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Coracle developers",
        "downloadLocation": UNKNOWN,
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "Coracle developers",
    }
    if path:
        package["packageFileName"] = name
        package["checksums"] = [{"algorithm": "SHA256", "checksumValue": sha256(path)}]
    return package


def bill(version, folder, files, created):
    with open(DEPENDENCIES, encoding="utf-8") as file:
        dependencies = json.load(file)["dependencies"]
    root = own_package("coracle", version)
    packages = [root] + [own_package(f, version, os.path.join(folder, f)) for f in files]
    packages += [dependency_package(d) for d in dependencies]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", root["SPDXID"])]
    relations += [(root["SPDXID"], "GENERATES", identifier(f)) for f in files]
    relations += [(root["SPDXID"], d["relation"], identifier(d["name"])) for d in dependencies]
    content = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"coracle-{version}",
        "documentNamespace": f"{HOME}/coracle-{version}-{content[:32]}",
        "creationInfo": {"created": created, "creators": ["Organization: Coracle developers", f"Tool: sbom.py-{version}"]},
        "packages": packages,
        "relationships": [{"spdxElementId": a, "relationshipType": r, "relatedSpdxElement": b} for a, r, b in relations],
    }


def main():
    version, folder = sys.argv[1:]
    files = sorted(f for f in os.listdir(folder) if f.endswith((".deb", ".tar.gz", ".whl")))
    now = datetime.datetime.now(datetime.timezone.utc).timestamp()
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", now)), datetime.timezone.utc)
    name = f"coracle-{version}.spdx.json"
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(bill(version, folder, files, created.strftime("%Y-%m-%dT%H:%M:%SZ")), file, indent=2)
        file.write("\n")
    with open(os.path.join(folder, "SHA256SUMS"), "w", encoding="utf-8") as file:
        for f in sorted([*files, name]):
            file.write(f"{sha256(os.path.join(folder, f))}  {f}\n")


if __name__ == "__main__":
    main()
