"""What is packed, without a Debian to install it in: licences, the bill of materials, what a build installs."""

import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("program, wanted", [
    ("trestle", {"swift-runtime", "swift-argument-parser", "swift-log"}),
    ("trestled", {"swift-runtime", "swift-argument-parser", "swift-log"}),
    ("trestle-serve", {"swift-runtime", "swift-nio", "swift-nio-ssl", "boringssl", "liberation-fonts"}),
])
def test_what_is_inside_is_named(program, wanted, tmp_path):
    scratch = ROOT / (".build/gateway" if program == "trestle-serve" else ".build")
    if not (scratch / "checkouts").exists():
        pytest.skip("it was not built here")
    subprocess.run([ROOT / "debian/inside.py", program, tmp_path], check=True, timeout=60)
    bill = json.loads((tmp_path / "sbom.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "1.5", program)
    parts = {one["name"]: one for one in bill["components"]}
    assert wanted <= set(parts) and "swift-protobuf" not in parts
    notice = (tmp_path / "NOTICE").read_text()
    for name, one in parts.items():
        assert one["version"] and one["licenses"][0]["expression"] and one["purl"].startswith("pkg:")
        assert f"  {name} {one['version']}: " in notice
    assert "Apache License" in notice and "Runtime Library Exception" in notice
    assert len({one["bom-ref"] for one in bill["components"]}) == len(bill["components"])
    package = ROOT / ("gateway" if program == "trestle-serve" else ".")
    for pin in json.loads((package / "Package.resolved").read_text())["pins"]:
        if pin["identity"] in parts:
            assert parts[pin["identity"]]["version"] == pin["state"]["version"]


def dry(goal):
    """What make would run for this goal, as a person calls it: the make that runs the tests hands on its settings."""
    plain = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "BUILT")}
    done = subprocess.run(["make", "-n", goal], cwd=ROOT, capture_output=True, text=True, timeout=60, env=plain)
    assert done.returncode == 0, done.stderr
    return done.stdout


def installed(said):
    return " ".join(re.findall(r"install-packages\.sh (.*)", said)).split()


@pytest.mark.parametrize("goal", ["build", "demo"])
def test_a_build_installs_what_it_needs_and_nothing_else(goal):
    """No service is among it: a person who tries the demo gets no web server on port 80."""
    assert set(installed(dry(goal))) == {
        "libzmq3-dev", "libyaml-dev", "libcurl4-openssl-dev", "libqrencode-dev", "zlib1g-dev", "binutils", "esbuild"}


def test_the_tests_say_first_what_they_install_and_start_no_service():
    said = dry("test")
    assert said.index("These packages of Debian are installed where they are missing") < said.index("install-packages.sh")
    assert "nginx-light" in said
    script = (ROOT / "Tests/install-packages.sh").read_text()
    assert script.index("policy-rc.d") < script.index("apt-get install") and "rm -f $policy" in script
