#!/usr/bin/env python3
"""Makes an OCI image of the daemon and the client, of the packages that `make deb` has made.

    debian/make-image.py DEBS IMAGE [BASE]

DEBS is the folder of the packages, IMAGE the archive to write: `podman load -i IMAGE`, `skopeo copy oci-archive:IMAGE …`.
BASE is a Debian of debootstrap, in which libzmq5 and libyaml-0-2 are; without it one is made. It needs root and
debootstrap, and neither docker nor buildah. The image runs trestled as the user trestle; tables are in the
volume /var/lib/trestle, the sockets in the volume /run/trestle.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

LIBRARIES = "libzmq5,libyaml-0-2,libcurl4,libstdc++6,debconf,init-system-helpers,systemd-standalone-sysusers"
WHEN = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
# No program of the image needs these, and some differ from one making to the next.
UNUSED = ["var/cache/apt", "var/lib/apt/lists", "var/log", "usr/share/man", "usr/share/locale", "var/cache/debconf",
          "usr/share/doc-base", "var/cache/ldconfig", "tmp"]


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=sys.stderr, env={
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"})


def system(root, debs, base):
    """A Debian with the packages in it."""
    if base:
        run("cp", "-a", f"{base}/.", root)
    else:
        run("debootstrap", "--variant=minbase", f"--include={LIBRARIES}", "bookworm", root)
    (root / "opt/debs").mkdir(parents=True, exist_ok=True)
    for name in ("trestle", "trestled"):
        deb, = debs.glob(f"{name}_*.deb")
        shutil.copy(deb, root / "opt/debs")
    run("chroot", root, "sh", "-c", "dpkg -i /opt/debs/*.deb")
    shutil.rmtree(root / "opt/debs")
    for place in UNUSED:
        shutil.rmtree(root / place, ignore_errors=True)
        (root / place).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    user = next(line.split(":") for line in (root / "etc/passwd").read_text().splitlines()
                if line.startswith("trestle:"))
    for place in ("var/lib/trestle", "run/trestle"):
        (root / place).mkdir(parents=True, exist_ok=True)
        (root / place).chmod(0o750)
        os.chown(root / place, int(user[2]), int(user[3]))


def layer(root):
    """The whole system as one layer, whose bytes depend on its files alone."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(root.rglob("*")):
            name = str(path.relative_to(root))
            if name.startswith(("dev/", "proc/", "sys/", "run/")) and name != "run/trestle":
                continue
            entry = archive.gettarinfo(path, name)
            if entry is None:  # a socket
                continue
            entry.mtime, entry.uname, entry.gname = WHEN, "", ""
            with path.open("rb") if entry.isreg() else io.BytesIO() as content:
                archive.addfile(entry, content if entry.isreg() else None)
    return plain.getvalue()


class Archive:
    """An image in the layout of OCI."""

    def __init__(self, path):
        self.tar = tarfile.open(path, "w")
        self.add("oci-layout", json.dumps({"imageLayoutVersion": "1.0.0"}).encode())

    def add(self, name, content):
        entry = tarfile.TarInfo(name)
        entry.size, entry.mtime = len(content), WHEN
        self.tar.addfile(entry, io.BytesIO(content))

    def blob(self, media, content):
        digest = hashlib.sha256(content).hexdigest()
        self.add(f"blobs/sha256/{digest}", content)
        return {"mediaType": f"application/vnd.oci.image.{media}", "digest": f"sha256:{digest}", "size": len(content)}


def main(debs, image, base=None):
    debs = pathlib.Path(debs)
    deb, = debs.glob("trestled_*.deb")
    version = subprocess.run(["dpkg-deb", "-f", deb, "Version"], check=True, capture_output=True,
                             text=True).stdout.strip()
    work = pathlib.Path(tempfile.mkdtemp(prefix="trestle-image."))
    try:
        system(work, debs, base)
        plain = layer(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    archive = Archive(image)
    packed = archive.blob("layer.v1.tar+gzip", gzip.compress(plain, 6, mtime=WHEN))
    config = archive.blob("config.v1+json", json.dumps({
        "architecture": MACHINES[os.uname().machine], "os": "linux",
        "config": {
            "User": "trestle", "Entrypoint": ["/usr/bin/trestled"],
            "Cmd": ["--config", "/etc/trestle/trestled.yaml"],
            "Env": ["PATH=/usr/bin:/bin", "RUNTIME_DIRECTORY=/run/trestle", "STATE_DIRECTORY=/var/lib/trestle",
                    "TRESTLE_ENDPOINT=ipc:///run/trestle/request.sock"],
            "Volumes": {"/var/lib/trestle": {}, "/run/trestle": {}}, "StopSignal": "SIGTERM",
            "Labels": {"org.opencontainers.image.title": "trestled", "org.opencontainers.image.version": version,
                       "org.opencontainers.image.licenses": "MIT"}},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(plain).hexdigest()}"]},
        "history": [{"created_by": "debian/make-image.py"}]}).encode())
    manifest = archive.blob("manifest.v1+json", json.dumps({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config, "layers": [packed]}).encode())
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version}
    archive.add("index.json", json.dumps({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]}).encode())
    archive.tar.close()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
