"""Makes the packs of what can be installed without a network; runs inside Pyodide (see pack.mjs).

Sources stay in them, beside their bytecode: tracebacks and `inspect` show library code as elsewhere. The
installer's own pack holds micropip and what Pyodide's distribution has.
"""

import hashlib
import json
import os
import re
import sys
import zipfile

# The package itself needs micropip; this module of it needs nothing.
sys.path.insert(0, "/installer/inbrowser_installer")
packing = __import__("packing")


def headers(metadata: str, key: str) -> list[str]:
    """Return the values of one header of METADATA."""
    return re.findall(rf"^{key}: *(.*?)\s*$", metadata.partition("\n\n")[0], re.MULTILINE)


def wheel_path(name: str) -> str:
    """Return the wheel of a package."""
    return next(f"/wheels/{each}" for each in os.listdir("/wheels") if each.startswith(name + "-"))


def bundle() -> None:
    """Write a pack for each wheel, and bundled.json that describes them."""
    entries = []
    for filename in sorted(os.listdir("/wheels")):
        with open(f"/wheels/{filename}", "rb") as file:
            wheel = file.read()
        pack = packing.make_pack(wheel, filename)
        name = re.sub(r"[-_.]+", "-", headers(pack.metadata, "Name")[0]).lower()
        with open(f"/out/{name}.pack", "wb") as file:
            file.write(pack.data)
        entries.append(
            {
                "name": name,
                "version": headers(pack.metadata, "Version")[0],
                "filename": filename,
                "sha256": hashlib.sha256(wheel).hexdigest(),
                "summary": "".join(headers(pack.metadata, "Summary")[:1]),
                "requires": headers(pack.metadata, "Requires-Dist"),
                "extras": headers(pack.metadata, "Provides-Extra"),
                "imports": pack.imports,
            }
        )
    with open("/out/bundled.json", "w") as file:
        json.dump(entries, file, separators=(",", ":"))


def pack_installer() -> None:
    """Write the pack that makes an interpreter an installer."""
    builder = packing._Builder()
    with open("/pyodide-lock.json") as file:
        packages = json.load(file)["packages"]
    kept = ("name", "version", "file_name", "install_dir", "sha256", "depends")
    distribution = {name: {key: entry[key] for key in kept} for name, entry in packages.items()}
    builder.add(
        "inbrowser_installer/distribution.json", json.dumps(distribution, separators=(",", ":")).encode()
    )
    for root, package in (("/installer", "inbrowser_installer"), ("/micropip", "micropip")):
        for parent, _, names in sorted(os.walk(f"{root}/{package}")):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(parent, name), root)
                if not name.endswith(".py"):
                    continue
                with open(os.path.join(parent, name), "rb") as file:
                    # Without sources: nobody reads tracebacks of it.
                    builder.add(path + "c", packing.compiled(file.read(), path))
    with open("/out/installer.pack", "wb") as file:
        file.write(builder.finish([]))


with zipfile.ZipFile(wheel_path("micropip")) as archive:
    archive.extractall("/micropip")
bundle()
pack_installer()
