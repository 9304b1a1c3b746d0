#!/usr/bin/env python3
"""Says what is inside the programs: NOTICE, with the licences, and a bill of materials (CycloneDX 1.5).

    debian/inside.py PROGRAM FOLDER

PROGRAM is trestle, trestled or trestle-serve. The packages of Swift are those that Package.resolved names, as they were
checked out for the build. What is linked dynamically (libzmq, libyaml) has packages and licences of its own.
"""

import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Not every program has everything that its package resolves.
PACKAGES = {
    "trestle": (".build", ROOT, {"swift-argument-parser", "swift-log"}),
    "trestled": (".build", ROOT, {"swift-argument-parser", "swift-log"}),
    "trestle-serve": (".build/gateway", ROOT / "gateway", None),
}
TESTS_ONLY = {"swift-protobuf"}
BORING = re.compile(r"https://boringssl\S+ at revision (\w+)")


def swift():
    """The version of the compiler, whose runtime is linked statically, and its licence."""
    said = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    program = pathlib.Path(subprocess.run(
        ["sh", "-c", "readlink -f $(command -v swift)"], capture_output=True, text=True, check=True).stdout.strip())
    texts = [base / "share/swift/LICENSE.txt" for base in program.parents]
    return re.search(r"Swift version (\S+)", said)[1], next(text for text in texts if text.exists())


def components(program):
    """Each part: its name, version, licence by SPDX, address, and the texts that belong to it."""
    scratch, package, wanted = PACKAGES[program]
    version, text = swift()
    runtime = "Apache-2.0 WITH Swift-exception"
    yield "swift-runtime", version, runtime, f"pkg:github/swiftlang/swift@swift-{version}-RELEASE", [text]
    for pin in json.loads((package / "Package.resolved").read_text())["pins"]:
        name = pin["identity"]
        if name in TESTS_ONLY or (wanted is not None and name not in wanted):
            continue
        folder = ROOT / scratch / "checkouts" / name
        owner = pin["location"].removesuffix(".git").split("/")[-2]
        texts = [path for path in (folder / "LICENSE.txt", folder / "NOTICE.txt") if path.exists()]
        state = pin["state"]
        has_exception = any("Runtime Library Exception" in path.read_text() for path in texts)
        yield (name, state["version"], "Apache-2.0 WITH Swift-exception" if has_exception else "Apache-2.0",
               f"pkg:github/{owner}/{name}@{state['version']}", texts)
        boring = folder / "Sources/CNIOBoringSSL/hash.txt"
        if boring.exists():
            revision = BORING.search(boring.read_text())[1]
            yield ("boringssl", revision, "OpenSSL AND ISC AND BSD-3-Clause",
                   f"pkg:generic/boringssl@{revision}?vcs_url=https://boringssl.googlesource.com/boringssl",
                   sorted((boring.parent / "third_party").glob("**/LICENSE*")))
    if program == "trestle-serve":
        yield ("liberation-fonts", "2", "OFL-1.1", "pkg:github/liberationfonts/liberation-fonts@2",
               [ROOT / "web/fonts/OFL.txt"])


def main(program, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    found = list(components(program))
    notice = [
        f"{program} is under the licence in /usr/share/doc/{program}/copyright. It contains, linked statically or as",
        "files, the works below, each under its own licence. Security updates of these come with a new build of",
        f"{program}; sbom.cdx.json beside this file names their versions for a scanner.", "",
        *[f"  {name} {version}: {licence}" for name, version, licence, _, _ in found], ""]
    shown = set()
    for name, _, _, _, texts in found:
        for text in texts:
            content = text.read_text(errors="replace").strip("\n")
            digest = hashlib.sha256(content.encode()).hexdigest()
            title = f"{name}: {text.name}"
            notice += ["-" * 78, title if digest not in shown else f"{title}, as above"]
            if digest not in shown:
                notice += ["-" * 78, content]
            shown.add(digest)
    (folder / "NOTICE").write_text("\n".join(notice) + "\n")
    own = re.search(r'programVersion = "(.*)"', (ROOT / "Sources/TableSync/Messages/Messages.swift").read_text())[1]
    bill = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {
            "type": "application", "name": program, "version": own, "licenses": [{"license": {"id": "MIT"}}]}},
        "components": [
            {"type": "library", "name": name, "version": version, "purl": purl, "bom-ref": purl,
             "licenses": [{"expression": licence}]}
            for name, version, licence, purl, _ in found],
    }
    (folder / "sbom.cdx.json").write_text(json.dumps(bill, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in PACKAGES:
        sys.exit(__doc__)
    main(*sys.argv[1:])
