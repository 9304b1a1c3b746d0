"""etcd's members and several daemons that are one service, on ports of this machine."""

import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import uuid
from pathlib import Path

from harness import HERE, Daemon, eventually


def free_ports(count):
    """Ports that nobody has at present."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Etcd:
    """So many members, each in a directory of its own. They sync as etcd does by default.

    `hosts`: each on a machine of its own. `programs`: where etcd and etcdctl are, if not on the path."""

    def __init__(self, members=3, flags=(), sealed=False, hosts=None, programs=None):
        self.programs = Path(programs or Path(shutil.which("etcd") or "").parent)
        assert (self.programs / "etcd").is_file(), "there is no etcd: apt-get install etcd-server"
        self.directory = Path(tempfile.mkdtemp(prefix="e", dir="/tmp"))
        self.hosts = hosts
        ports = free_ports(2 * members)
        self.clients = [f"{'https' if sealed else 'http'}://127.0.0.1:{port}" for port in ports[:members]]
        self.user = []  # flags of etcdctl
        self.peers = [f"http://127.0.0.1:{port}" for port in ports[members:]]
        if hosts:
            self.clients = [f"http://{hosts.address(index)}:2379" for index in range(members)]
            self.peers = [f"http://{hosts.address(index)}:2380" for index in range(members)]
        self.flags = list(flags)
        if sealed:
            certify(self.directory)
            self.flags += ["--cert-file", self.directory / "server.pem", "--key-file",
                           self.directory / "server.key", "--trusted-ca-file", self.directory / "ca.pem",
                           "--client-cert-auth"]
            self.user = ["--cacert", self.directory / "ca.pem", "--cert", self.directory / "client.pem",
                         "--key", self.directory / "client.key"]
        self.processes = [None] * members
        for index in range(members):
            self.start(index)
        eventually(self.is_well, 30, 0.1)

    def start(self, index):
        cluster = ",".join(f"m{i}={peer}" for i, peer in enumerate(self.peers))
        log = (self.directory / f"log{index}").open("ab")
        self.processes[index] = subprocess.Popen(
            [*(self.hosts.inside(index) if self.hosts else []), self.programs / "etcd", "--name", f"m{index}",
             "--data-dir", self.directory / f"m{index}",
             "--listen-client-urls", self.clients[index], "--advertise-client-urls", self.clients[index],
             "--listen-peer-urls", self.peers[index], "--initial-advertise-peer-urls", self.peers[index],
             "--initial-cluster", cluster, "--initial-cluster-state", "new", "--snapshot-count", "5000",
             "--logger", "zap", "--log-level", "error", *self.flags],
            stdout=log, stderr=log, env=os.environ | {"ETCD_UNSUPPORTED_ARCH": ""})
        log.close()

    def is_well(self):
        """etcd that answers"""
        return self.control("endpoint", "health", check=False).returncode == 0

    def control(self, *arguments, check=True, **more):
        done = subprocess.run(
            [*(self.hosts.beside if self.hosts else []), self.programs / "etcdctl",
             "--endpoints", ",".join(self.clients), "--command-timeout", "5s", *self.user, *arguments],
            capture_output=True, env=os.environ | {"ETCDCTL_API": "3"}, timeout=30, **more)
        assert not check or done.returncode == 0, done.stderr
        return done

    def keys(self, prefix):
        found = self.control("get", "--prefix", prefix, "--keys-only").stdout.decode().split()
        return [key.removeprefix(prefix) for key in found]

    def kill(self, index, how=signal.SIGKILL):
        self.processes[index].send_signal(how)
        if how == signal.SIGKILL:
            self.processes[index].wait()

    def close(self):
        for process in self.processes:
            if process and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


class Hosts:
    """Machines on one network, as namespaces: each can be cut off. Sockets in files are reached from everywhere.

    Raises Unable where there can be none."""

    class Unable(Exception):
        pass

    def __init__(self, count):
        self.name, self.count = f"tr{os.getpid()}", count
        self.beside = ["ip", "netns", "exec", self.name]
        if os.geteuid() != 0:
            raise self.Unable("only root may make network namespaces")
        for tool in ("ip", "nft"):
            if not shutil.which(tool):
                raise self.Unable(f"{tool} (Debian's iproute2, nftables) is not installed")
        try:
            self.set_up()
        except subprocess.CalledProcessError as error:
            self.close()
            raise self.Unable(f"no network namespaces can be made here: {error.stderr}") from None

    @staticmethod
    def run(*words):
        subprocess.run(words, check=True, capture_output=True, text=True)

    def set_up(self):
        ip = ["ip", "-n", self.name]
        self.run("ip", "netns", "add", self.name)
        self.run(*ip, "link", "add", "name", "br0", "type", "bridge")
        self.run(*ip, "addr", "add", "10.77.0.254/24", "dev", "br0")
        self.run(*ip, "link", "set", "br0", "up")
        for index in range(self.count):
            host = f"{self.name}h{index}"
            self.run("ip", "netns", "add", host)
            self.run("ip", "link", "add", "eth0", "netns", host, "type", "veth", "peer", "name", f"p{index}",
                     "netns", self.name)
            self.run(*ip, "link", "set", f"p{index}", "master", "br0", "up")
            self.run("ip", "-n", host, "addr", "add", f"{self.address(index)}/24", "dev", "eth0")
            for device in ("eth0", "lo"):
                self.run("ip", "-n", host, "link", "set", device, "up")
            self.run(*self.inside(index), "nft", "add table inet cut")
            for way in ("input", "output"):
                self.run(*self.inside(index), "nft",
                         f"add chain inet cut {way} {{ type filter hook {way} priority 0; }}")

    def address(self, index):
        return f"10.77.0.{index + 1}"

    def inside(self, index):
        return ["ip", "netns", "exec", f"{self.name}h{index}"]

    def cut(self, index, ways=("input", "output")):
        """Nothing comes in, or goes out, or both."""
        for way in ways:
            device = "iifname" if way == "input" else "oifname"
            self.run(*self.inside(index), "nft", f"add rule inet cut {way} {device} eth0 drop")

    def mend(self, index):
        for way in ("input", "output"):
            self.run(*self.inside(index), "nft", f"flush chain inet cut {way}")

    def close(self):
        for name in [*(f"{self.name}h{index}" for index in range(self.count)), self.name]:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def certify(directory):
    """An authority, and what it has signed: a server, a client, and one of another authority."""
    def run(*words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, cwd=directory)

    for authority in ("ca", "other-ca"):
        run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={authority}",
            "-keyout", f"{authority}.key", "-out", f"{authority}.pem")
    (directory / "names").write_text("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n")
    for name, authority in (("server", "ca"), ("client", "ca"), ("stranger", "other-ca")):
        run("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key",
            "-out", f"{name}.csr")
        run("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
            "-CAcreateserial", "-days", "30", "-extfile", "names", "-out", f"{name}.pem")


class Member(Daemon):
    """A daemon of a service. It serves on a port, as on a machine of its own.

    `beside`: it is on the machine of this member of etcd. There it serves at a file, so that whoever asks it is
    never cut off from it."""

    def __init__(self, etcd, name, more="", access="", lease=2, beside=None):
        super().__init__("heartbeat_ms: 200\n")
        if beside is None:
            request, publish = (f"tcp://127.0.0.1:{port}" for port in free_ports(2))
        else:
            request, publish = (f"ipc://{self.directory}/{name}.sock" for name in ("request", "publish"))
            self.wrapper = etcd.hosts.inside(beside)
        self.endpoint = request
        urls = ", ".join(f'"{url}"' for url in etcd.clients)
        self.config.write_text(
            "heartbeat_ms: 200\n"
            f'endpoints: [{{request: "{request}", publish: "{publish}"}}]\n'
            f"journal:\n  etcd:\n    endpoints: [{urls}]\n    name: {name}\n"
            f"    lease_seconds: {lease}\n{access}{more}")

    def command(self, state=None, endpoint=None):
        # Where it serves is in the file.
        words = super().command(state, endpoint)
        at = words.index("--endpoint")
        return words[:at] + words[at + 2:]

    def health(self, timeout=5.0):
        return self.ask("health", timeout=timeout)["health"]

    def role(self):
        try:
            return self.health(1.0).get("role")
        except TimeoutError:
            return None


class Dated(Member):
    """A daemon whose wall clock can be set. It needs a C compiler."""

    seconds = 0  # that the clock is ahead

    def set(self, seconds):
        self.seconds = seconds
        with (self.directory / "date").open("r+b") as file:
            file.write(struct.pack("<q", seconds))

    def command(self, state=None, endpoint=None):
        shim, date = self.directory / "setdate.so", self.directory / "date"
        if not shim.exists():
            subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, HERE / "setdate.c"], check=True)
            date.write_bytes(bytes(8))
        return ["env", f"LD_PRELOAD={shim}", f"SETDATE={date}", *super().command(state, endpoint)]


class Service:
    """Daemons over one etcd."""

    def __init__(self, etcd, daemons=2, name=None, kind=Member, **more):
        self.etcd, self.name = etcd, name or f"s{uuid.uuid4().hex[:8]}"
        self.members = [
            kind(etcd, self.name, beside=index if etcd.hosts else None, **more) for index in range(daemons)]
        for member in self.members:
            member.start()
        self.leader()

    @property
    def endpoints(self):
        return [member.endpoint for member in self.members]

    def find(self, role="leader"):
        for member in self.members:
            if member.process and member.alive() and member.role() == role:
                return member
        return None

    def leader(self, seconds=20):
        return eventually(self.find, seconds, 0.1)

    def standbys(self):
        return [m for m in self.members if m.process and m.alive() and m.role() == "standby"]

    def digests(self):
        """Of each daemon that answers: its tables' revisions and digests."""
        return [{n: (t.get("revision", 0), t["digest"]) for n, t in m.tables().items()}
                for m in self.members if m.alive()]

    def close(self):
        texts = [member.close() for member in self.members]
        for text in texts:
            assert "Fatal error" not in text, text
        return texts
