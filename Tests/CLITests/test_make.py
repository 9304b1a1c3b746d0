"""`make build` and `make demo` install what a build needs and nothing else, no service is started by an installation, and
ARCHITECTURE.md has the parts of Package.swift."""

import os
import subprocess
import sys

import pytest
from cli_daemon import HERE

ROOT = HERE.parents[1]
LIBRARIES = {"libzmq3-dev", "libyaml-dev", "libcurl4-openssl-dev", "libqrencode-dev", "zlib1g-dev", "binutils", "esbuild"}
INSTALL = ROOT / "Tests/install-packages.sh"


def installed_by(*targets):
    """The packages that the targets would ask for."""
    made = subprocess.run(
        ["make", "-n", "SWIFT=swift", *targets], cwd=ROOT, capture_output=True, text=True, check=True,
        env={name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "BUILT"))})
    calls = [line.split() for line in made.stdout.splitlines() if "install-packages.sh" in line]
    assert calls, made.stdout
    return {package for call in calls for package in call[1:]}


@pytest.mark.parametrize("target", ["build", "demo", "serve"])
def test_a_build_installs_libraries_alone(target):
    assert installed_by(target) == LIBRARIES


def test_make_test_says_first_what_it_installs():
    said = subprocess.run(
        ["make", "-n", "test"], cwd=ROOT, capture_output=True, text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "BUILT"))}).stdout
    first = said.splitlines()[0]
    assert "echo" in first and "redis-server" in first and LIBRARIES <= set(first.replace(".", " ").replace('"', " ").split())


@pytest.mark.skipif(os.getuid() != 0 or os.path.exists("/usr/sbin/policy-rc.d"), reason="writes the policy of a machine that has none")
def test_services_are_not_started_and_the_policy_goes_again(tmp_path):
    heard = tmp_path / "heard"
    stubs = {
        "dpkg-query": "exit 1", "dpkg": "echo /lib/systemd/system/redis-server.service; echo /lib/systemd/system/systemd-x.service",
        "systemctl": f'echo "systemctl $*" >>{heard}',
        "apt-get": f'/usr/sbin/policy-rc.d; echo "apt-get $* policy $?" >>{heard}'}
    for name, does in stubs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    subprocess.run([INSTALL, "redis-server"], check=True, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert heard.read_text().splitlines() == [
        "apt-get update -qq policy 101", "apt-get install -y -qq redis-server policy 101",
        "systemctl disable --quiet redis-server.service"]
    assert not os.path.exists("/usr/sbin/policy-rc.d")


@pytest.mark.parametrize("script", ["parts.py", "names.py"])
def test_the_tables_of_parts_and_names_are_those_of_the_sources(script):
    said = subprocess.run([sys.executable, ROOT / "docs" / script], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
