"""The systemd units: known keys, exposure, who may connect; and, marked slow, run as they are.

    python3 -m pytest Tests/SystemdTests [-m "not slow"]

TRESTLED=/path/to/trestled runs the real daemon in the slow test (and TRESTLED_CONFIG its
configuration, config/trestled.yaml by default); without it a stand-in runs.
"""

import os
import pathlib
import re
import shutil
import subprocess
import textwrap

import pytest

HERE = pathlib.Path(__file__).resolve().parent
SYSTEMD = HERE.parent.parent / "systemd"
MONITORING = HERE.parent.parent / "examples/monitoring"
DOCS = HERE.parent.parent / "docs"
SERVICES = ["trestled.service", "trestled-activated.service"]
INSTANCE = "trestled@.service"
SOCKETS = {"request": "trestled-request.socket", "publish": "trestled-publish.socket"}
GATEWAY = "trestle-serve.service"
BACKUPS = {"trestle-backup.service": "trestle-backup@.service", "trestle-backup.timer": "trestle-backup@.timer"}
FIGURES = {f"trestle-metrics.{kind}": f"trestle-metrics@.{kind}" for kind in ("service", "timer")}
UNITS = [*SERVICES, INSTANCE, GATEWAY, *SOCKETS.values(), *BACKUPS, *BACKUPS.values(), *FIGURES, *FIGURES.values()]
EXPOSURE = {"trestled.service": 1.2, INSTANCE: 1.2, "trestled-activated.service": 0.5, GATEWAY: 1.1}
# What the two services may differ in; everything else is one text kept twice.
DIFFERENT = {
    *["Description", "Conflicts", "After", "Requires", "Sockets", "NonBlocking"],
    *["UMask", "RuntimeDirectory", "RuntimeDirectoryMode"],
    *["PrivateNetwork", "RestrictAddressFamilies", "IPAddressAllow", "WantedBy", "Also"],
    "RestartPreventExitStatus",
}

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is not installed"
)


def run(*command, env=None):
    variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", **(env or {})}
    return subprocess.run(
        [str(part) for part in command],
        env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
    )


def text_of(unit):
    return ((MONITORING if unit.startswith("trestle-metrics") else SYSTEMD) / unit).read_text()


def settings(unit):
    """Each key of the unit with its values, in order."""
    found = {}
    for line in text_of(unit).splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


@pytest.fixture
def verified(tmp_path):
    """Verifies copies whose only change is a program that exists; answers (status, output)."""

    def verify(*units, change=lambda text: text):
        program = tmp_path / "trestled"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        for unit in UNITS:
            text = re.sub(
                r"/usr/(bin/trestled|bin/trestle-serve|lib/trestle/trestle-backup|local/bin/trestle-metrics) ",
                f"{program} ", text_of(unit))
            (tmp_path / unit).write_text(change(text))
        result = run(
            "systemd-analyze", "verify", "--man=no", "--recursive-errors=yes",
            *[tmp_path / unit for unit in units],
            env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        )
        return result.returncode, result.stdout.strip()

    return verify


@needs_systemd
@pytest.mark.parametrize("unit", UNITS)
def test_verify_is_silent(verified, unit):
    assert verified(unit) == (0, "")


@needs_systemd
def test_verify_is_silent_about_all_together(verified):
    assert verified(*UNITS) == (0, "")


@needs_systemd
@pytest.mark.parametrize("name", ["REMOTE", "STANDBY"])
def test_drop_in_for_other_machines_is_as_documented(name, tmp_path):
    """It adds networks, and what was denied stays so for all others."""
    page = (DOCS / f"{name}.md").read_text()
    drop_in = textwrap.dedent(re.search(r"(?m)^ +\[Service\]\n +IPAddressAllow=.+\n", page)[0])
    unit = (SYSTEMD / "trestled.service").read_text().replace("/usr/bin/trestled ", "/bin/true ")
    (tmp_path / "trestled.service").write_text(unit)
    (tmp_path / "trestled.service.d").mkdir()
    (tmp_path / "trestled.service.d" / "remote.conf").write_text(drop_in)
    done = run(
        "systemd-analyze", "verify", "--man=no", "--recursive-errors=yes",
        tmp_path / "trestled.service", env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:"})
    assert (done.returncode, done.stdout.strip()) == (0, "")
    assert settings("trestled.service")["IPAddressDeny"] == ["any"]
    families = settings("trestled.service")["RestrictAddressFamilies"][0].split()
    assert {"AF_INET", "AF_INET6"} <= set(families)


def test_the_page_of_standbys_leads_to_a_unit_with_a_network():
    page = (DOCS / "STANDBY.md").read_text().split("## To set it up")[1].split("\n## ")[0]
    typed = [line.split() for line in re.findall(r"(?m)^ {7}(systemctl .+)$", page)]
    assert typed == [["systemctl", "disable", "--now", *SOCKETS.values()], ["systemctl", "enable", "trestled.service"]]
    assert "PrivateNetwork" not in settings("trestled.service")
    # Both machines begin it with what the page has them configure.
    assert page.count("`systemctl restart trestled`") == 2


@needs_systemd
@pytest.mark.parametrize("unit", UNITS)
def test_verify_would_see_an_unknown_key(verified, unit):
    section, key = {"service": ("[Service]", "ProtectSystm"), "socket": ("[Socket]", "SocketMod"),
                    "timer": ("[Timer]", "OnCalendr")}[unit.split(".")[1]]
    status, output = verified(
        unit, change=lambda text: text.replace(f"\n{section}\n", f"\n{section}\n{key}=x\n")
    )
    assert status != 0
    assert f"'{key}'" in output


@needs_systemd
@pytest.mark.parametrize("unit", EXPOSURE)
def test_exposure(unit):
    limit = EXPOSURE[unit]
    result = run(
        "systemd-analyze", "security", "--offline=true", "--no-pager",
        f"--threshold={round(limit * 10)}", SYSTEMD / unit,
    )
    overall = re.search(r"Overall exposure level for (\S+): ([0-9.]+)", result.stdout)
    assert overall, result.stdout
    assert overall[1] == unit.replace("@", "@i")
    assert float(overall[2]) <= limit
    assert result.returncode == 0, result.stdout


@needs_systemd
def test_exposure_threshold_can_fail(tmp_path):
    bare = tmp_path / "bare.service"
    bare.write_text("[Service]\nExecStart=/bin/true\n")
    result = run("systemd-analyze", "security", "--offline=true", "--threshold=13", bare)
    assert result.returncode != 0


@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="no systemd-sysusers")
def test_sysusers_makes_the_user_and_the_group(tmp_path):
    directory = tmp_path / "usr/lib/sysusers.d"
    directory.mkdir(parents=True)
    (tmp_path / "etc").mkdir()
    shutil.copy(SYSTEMD / "trestle.sysusers", directory / "trestle.conf")
    result = run("systemd-sysusers", f"--root={tmp_path}", "trestle.conf")
    assert result.returncode == 0, result.stdout
    passwd = (tmp_path / "etc/passwd").read_text().splitlines()
    group = (tmp_path / "etc/group").read_text().splitlines()
    assert len(passwd) == len(group) == 2
    mine = {line.split(":")[0]: line.split(":") for line in passwd + group}
    assert mine["trestle-serve"][0] == "trestle-serve"
    passwd = [line for line in passwd if line.startswith("trestle:")]
    group = [line for line in group if line.startswith("trestle:")]
    # The gateway may connect to the daemon, and read nothing of its journal.
    assert group[0].split(":")[3] == "trestle-serve"
    name, _, uid, gid, gecos, home, shell = passwd[0].split(":")
    assert (name, gecos) == ("trestle", "Trestle table daemon")
    assert (home, shell) == ("/var/lib/trestle", "/usr/sbin/nologin")
    assert 0 < int(uid) < 1000
    assert group[0].split(":")[:3:2] == ["trestle", gid]


@pytest.mark.parametrize("unit", [*SERVICES, INSTANCE])
def test_the_user_is_the_one_of_sysusers(unit):
    lines = (SYSTEMD / "trestle.sysusers").read_text().splitlines()
    users = [line.split()[1] for line in lines if line.startswith("u")][:1]
    assert users == settings(unit)["User"] == settings(unit)["Group"]


def test_the_services_differ_only_where_they_must():
    one, other = (settings(unit) for unit in SERVICES)
    differing = {key for key in one | other if one.get(key) != other.get(key)}
    assert differing == DIFFERENT


def test_an_instance_differs_in_its_places_alone():
    one, other = settings("trestled.service"), settings(INSTANCE)
    differing = {key for key in one | other if one.get(key) != other.get(key)}
    assert differing == {
        "Description", "Conflicts", "After", "EnvironmentFile", "ExecStart", "ExecReload",
        "RuntimeDirectory", "StateDirectory", "CacheDirectory"}
    assert all("%i" in value for key in differing & other.keys() for value in other[key][:1])


@pytest.mark.parametrize("unit, differing", {
    "trestle-backup.service": {"Description", "After", "Environment", "ExecStart", "ExecStartPre"},
    "trestle-backup.timer": {"Description"},
    "trestle-metrics.service": {"Description", "ConditionPathExists", "Environment", "ExecStart"},
    "trestle-metrics.timer": {"Description"},
}.items())
def test_an_instance_has_its_own_backup_and_figures(unit, differing):
    """They are those of the one daemon, at the socket that the instance's unit makes, and with a place of its own."""
    one, other = settings(unit), settings((BACKUPS | FIGURES)[unit])
    assert {key for key in one | other if one.get(key) != other.get(key)} == differing
    assert all("%i" in other[key][0] for key in differing)
    if unit.endswith(".service"):
        folder, = settings(INSTANCE)["RuntimeDirectory"]
        assert other["Environment"] == [f"TRESTLE_ENDPOINT=ipc:///run/{folder}/request.sock"]
        # The figures tell the age of those backups that the timer makes.
        assert "/var/backups/trestle/%i" in other["ExecStart"][0]


@pytest.mark.parametrize("unit", [*SERVICES, INSTANCE])
def test_users_are_told_apart_and_a_repair_is_not_refused(unit):
    found = settings(unit)
    assert "PrivateUsers" not in found
    assert settings(GATEWAY)["StartLimitIntervalSec"] == found["StartLimitIntervalSec"] == ["0"] and found["Restart"] == ["on-failure"]
    # A client that waits in a socket starts the unit again at once: it must be systemd's pause that does.
    assert ("RestartPreventExitStatus" in found) == (unit != "trestled-activated.service")


def test_the_gateway_is_another_user_and_as_confined_as_the_daemon():
    gateway, daemon = settings(GATEWAY), settings("trestled.service")
    assert gateway["User"] == gateway["Group"] == gateway["StateDirectory"] == ["trestle-serve"]
    assert gateway["SupplementaryGroups"] == ["trestle"]
    own = {"ExecStart", "ExecReload", "Environment", "Description", "Documentation", "User", "Group",
           "SupplementaryGroups", "Conflicts", "After", "RuntimeDirectory",
           "StateDirectory", "CacheDirectory", "CacheDirectoryMode", "EnvironmentFile",
           "RestartPreventExitStatus", "PrivateUsers", "TimeoutStartSec", "TimeoutStopSec", "MemoryHigh", "MemoryMax",
           "TasksMax"}
    assert {key for key in gateway | daemon if gateway.get(key) != daemon.get(key)} <= own


@pytest.mark.parametrize("unit", [*SERVICES, INSTANCE, GATEWAY])
def test_a_reload_needs_no_other_package(unit):
    """`kill` is a program of procps. The shell has its own."""
    *checks, signal = settings(unit)["ExecReload"]
    assert signal == "/usr/bin/sh -c 'kill -HUP $MAINPID'"
    assert all(check.startswith("/usr/bin/trestled check-config ") for check in checks)


def test_memory_is_bounded():
    for unit in (*SERVICES, INSTANCE, GATEWAY, "trestle-backup.service", "trestle-backup@.service"):
        assert settings(unit)["MemoryMax"] and settings(unit)["MemorySwapMax"] == ["0"]


@pytest.mark.parametrize("name", SOCKETS)
def test_socket(name):
    found = settings(SOCKETS[name])
    assert found["ListenStream"] == [f"/run/trestle/{name}.sock"]
    assert found["FileDescriptorName"] == [name]
    assert found["Service"] == ["trestled-activated.service"]
    assert (found["SocketMode"], found["SocketGroup"]) == (["0660"], ["trestle"])
    # Another mode would shut out the group, which does not own this directory.
    assert found["DirectoryMode"] == ["0755"]


def test_the_variants_conflict():
    binding = settings("trestled.service")
    others = {"trestled-activated.service", *SOCKETS.values()}
    assert set(binding["Conflicts"][0].split()) == others
    # Without an order one could bind while the other is still clearing /run/trestle.
    assert set(binding["After"][0].split()) == others
    for unit in others:
        assert settings(unit)["Conflicts"] == ["trestled.service"]


def test_stopping_the_activated_service_leaves_its_sockets():
    assert "RuntimeDirectory" not in settings("trestled-activated.service")


def test_the_binding_service_admits_its_group():
    found = settings("trestled.service")
    assert found["RuntimeDirectory"] == found["StateDirectory"] == ["trestle"]
    assert (found["RuntimeDirectoryMode"], found["StateDirectoryMode"]) == (["0750"], ["0700"])
    mask = int(found["UMask"][0], 8)
    assert mask & 0o020 == 0, "connecting takes write permission"
    assert mask & 0o007 == 0o007


@pytest.mark.parametrize("unit", SERVICES)
def test_what_lasts_is_the_daemons_alone(unit):
    """Both variants serve one state directory, and remember in one place how far it had come."""
    found = settings(unit)
    assert found["StateDirectory"] == found["CacheDirectory"] == ["trestle"]
    assert found["StateDirectoryMode"] == found["CacheDirectoryMode"] == ["0700"]


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_the_units_run():
    command = [str(HERE / "run-unit.sh")]
    if "TRESTLED" in os.environ:
        command += ["--trestled", os.environ["TRESTLED"]]
    if "TRESTLED_CONFIG" in os.environ:
        command += ["--config", os.environ["TRESTLED_CONFIG"]]
    # It bounds itself and cleans up when told to end, which a kill would not let it do.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        output, _ = process.communicate(timeout=240)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(30)
    if process.returncode == 77:
        pytest.skip(output.strip().splitlines()[-1])
    assert process.returncode == 0, output
