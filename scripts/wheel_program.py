#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes pip write the program `coracle` when it installs a wheel: that of `python -m coracle`. Wheels for Windows, where a script is no program,
have it; pyproject.toml is for all systems.

    scripts/wheel_program.py WHEEL
"""
import base64
import hashlib
import pathlib
import sys
import zipfile

TEXT = b"[console_scripts]\ncoracle = coracle.__main__:main\n"

wheel = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(wheel) as old:
    entries = [(entry, old.read(entry)) for entry in old.infolist()]
record = next(entry.filename for entry, _ in entries if entry.filename.endswith(".dist-info/RECORD"))
name = record.replace("RECORD", "entry_points.txt")
line = "%s,sha256=%s,%d\n" % (name, base64.urlsafe_b64encode(hashlib.sha256(TEXT).digest()).rstrip(b"=").decode(), len(TEXT))
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as new:
    for entry, content in entries:
        if entry.filename == record:
            added = zipfile.ZipInfo(name, entry.date_time)
            added.external_attr, added.compress_type = entry.external_attr, entry.compress_type
            new.writestr(added, TEXT)
            content = line.encode() + content
        new.writestr(entry, content)
