"""What is packed, without a Debian to install it in: licences, the bill of materials, what a build installs."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from importlib import metadata

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients/python"


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


@pytest.fixture
def python(tmp_path):
    """The folder in which the package for Python has its files, by the script that `collect.sh` calls."""
    assert "\ndebian/python.py debian/python3-trestle/usr/lib/python3/dist-packages\n" in \
        (ROOT / "debian/collect.sh").read_text()
    folder = tmp_path / "dist-packages"
    subprocess.run([ROOT / "debian/python.py", folder], check=True, timeout=60)
    return folder


def test_python_is_packed_whole(python):
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]
    found, = metadata.distributions(path=[str(python)])
    assert (found.name, found.version) == (project["name"], project["version"])
    assert found.requires == project["dependencies"]
    assert found.metadata["Requires-Python"] == project["requires-python"]
    assert {(one.group, one.name, one.value) for one in found.entry_points} == {
        (group, name, value) for group, all_of in project["entry-points"].items() for name, value in all_of.items()}
    source = CLIENT / "src"
    wanted = {path.relative_to(source) for path in source.rglob("*") if path.suffix == ".py" or path.name == "py.typed"}
    packed = {path.relative_to(python) for path in python.rglob("*") if path.is_file()}
    assert wanted == {path for path in packed if path.parts[0] == "trestle"}
    assert all((python / path).read_bytes() == (source / path).read_bytes() for path in wanted)


def test_the_packed_plugin_is_found_by_pytest(python, tmp_path):
    """The test that the README shows passes, and nothing names the plugin."""
    programs = os.environ.get("TRESTLE_BIN", ROOT / ".build/release")
    if not pathlib.Path(programs, "trestled").exists():
        pytest.skip("there is no trestled: make build")
    shown, = re.findall(r"^    def test_soup.*?\n\n", (CLIENT / "README.md").read_text(), re.M | re.S)
    (tmp_path / "test_shown.py").write_text(re.sub(r"^ {4}", "", shown, flags=re.M))
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path / "test_shown.py"],
        env={**plain, "PYTHONPATH": str(python), "TRESTLE_BIN": str(programs)}, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


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


# A systemd with two instances that run, one that has failed, and one daemon that binds its own sockets. One
# instance has a name that systemd writes with a backslash.
STANDIN = r"""#!/bin/sh
case "$*" in
    *list-units*"trestled@*.service"*) cat <<'END'
trestled@kitchen.service    loaded active running Trestle table daemon (kitchen)
trestled@my-bar\x2d1.service loaded active running Trestle table daemon (my-bar\x2d1)
trestled@old.service        loaded failed failed  Trestle table daemon (old)
END
        ;;
    *is-active*" trestled.service" | *is-active*"trestled@kitchen.service" | *is-active*"trestled@my-bar\x2d1.service") ;;
    *is-active*) exit 3 ;;
    *) echo "${0##*/} $*" >> "${0%/*}/done" ;;
esac
"""


@pytest.fixture
def systemd(tmp_path):
    """Runs a script of a package, with a systemd that notes what it is told; answers with these lines."""
    for name in ("systemctl", "deb-systemd-invoke", "systemd-sysusers", "systemd-tmpfiles"):
        (tmp_path / name).write_text(STANDIN)
        (tmp_path / name).chmod(0o755)

    def run(script, *arguments):
        (tmp_path / "done").write_text("")
        done = subprocess.run(
            ["sh", "-c", script.replace("/run/systemd/system", str(tmp_path)), "sh", *arguments],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, timeout=20)
        assert (done.returncode, done.stderr) == (0, "")
        return (tmp_path / "done").read_text().splitlines()

    return run


def scriptlet(name):
    return re.search(rf"\n%{name} -n trestled\n(.*?)\n\n", (ROOT / "rpm/trestle.spec").read_text(), re.DOTALL)[1]


def test_an_upgrade_gives_each_instance_that_runs_the_new_program(systemd):
    script = (ROOT / "debian/trestled.postinst").read_text()
    units = ["trestled.service", "trestled@kitchen.service", r"trestled@my-bar\x2d1.service"]
    assert systemd(script, "configure", "1.0.0") == [f"deb-systemd-invoke restart {unit}" for unit in units]
    assert systemd(script, "configure", "") == []
    # `try-restart` leaves what has failed as it is, and takes a pattern.
    assert "systemctl try-restart trestled-activated trestled trestled@*.service" in systemd(scriptlet("post"), "2")


def test_a_removal_stops_instances_and_their_backups(systemd):
    patterns = "trestle-backup*.timer trestle-backup*.service trestled@*.service"
    script = (ROOT / "debian/trestled.prerm").read_text()
    assert f"deb-systemd-invoke stop {patterns}" in systemd(script, "remove")
    assert systemd(script, "upgrade", "1.0.1") == []
    said = systemd(scriptlet("preun"), "0")
    assert f"systemctl --quiet stop {patterns}" in said
    assert "systemctl --quiet disable trestled@.service trestle-backup@.timer" in said
    assert systemd(scriptlet("preun"), "1") == []


@pytest.mark.skipif(shutil.which("systemctl") is None, reason="systemd is not installed")
def test_a_template_that_is_disabled_takes_its_instances_along(tmp_path):
    """The removal of the RPM relies on it: nobody knows the names of the instances that are enabled."""
    units = tmp_path / "usr/lib/systemd/system"
    shutil.copytree(ROOT / "systemd", units)

    def systemctl(*words):
        subprocess.run(["systemctl", f"--root={tmp_path}", "--quiet", *words], check=True, capture_output=True, timeout=20)
        return {path.name for path in tmp_path.glob("etc/systemd/system/*.wants/*")}

    assert systemctl("enable", "trestled@kitchen", "trestled@bar", "trestle-backup@bar.timer", "trestled") == {
        "trestled@kitchen.service", "trestled@bar.service", "trestle-backup@bar.timer", "trestled.service"}
    assert systemctl("disable", "trestled@.service", "trestle-backup@.timer") == {"trestled.service"}


def test_a_purge_leaves_no_link_of_an_instance(systemd, tmp_path):
    """debhelper removes the links of those units alone that it knows by name."""
    links = [tmp_path / "etc/systemd/system" / name for name in (
        "multi-user.target.wants/trestled@kitchen.service", "timers.target.wants/trestle-backup@kitchen.timer",
        "multi-user.target.wants/trestled.service")]
    for link in links:
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to("/dev/null")
    script = re.sub(r"/(etc|var)/", rf"{tmp_path}/\1/", (ROOT / "debian/trestled.postrm").read_text())
    systemd(script, "remove")
    assert all(link.is_symlink() for link in links)
    systemd(script, "purge")
    assert [link.is_symlink() for link in links] == [False, False, True]


def test_the_hook_of_the_page_gives_the_gateway_its_certificate(systemd, tmp_path):
    """docs/CARE.md: what certbot runs after a renewal, here with another user and place."""
    page = (ROOT / "docs/CARE.md").read_text()
    hook = textwrap.dedent(re.search(r"(?m)^    #!/bin/sh -e\n(?:    .+\n)+", page)[0])
    assert "-o trestle-serve" in hook and hook.count("/etc/trestle/") == 2
    for name in ("fullchain.pem", "privkey.pem"):
        (tmp_path / name).write_text(name)
    hook = hook.replace("trestle-serve -m", f"{os.geteuid()} -m").replace("/etc/trestle/", f"{tmp_path}/")
    assert systemd(f"RENEWED_LINEAGE={tmp_path}\n{hook}") == ["systemctl reload trestle-serve"]
    assert (tmp_path / "cert.pem").read_text() == "fullchain.pem" and (tmp_path / "key.pem").read_text() == "privkey.pem"
    assert (tmp_path / "key.pem").stat().st_mode & 0o777 == 0o400
