#!/bin/sh
# Puts what is built into the folders of the packages, debian/PACKAGE. debian/rules calls this.
set -eu

bin=.build/release
doc=usr/share/doc

# into PACKAGE FOLDER FILE…
into() {
    package=$1 folder=$2
    shift 2
    install -D -m 644 -t "debian/$package/$folder" "$@"
}

# tree PACKAGE FOLDER FILE…: with the folders that the files are in, so that links between them work.
tree() {
    package=$1 folder=$2
    shift 2
    mkdir -p "debian/$package/$folder"
    tar -c --exclude=.build --exclude=.venv --exclude=__pycache__ --exclude=Package.resolved "$@" \
        | tar -x --no-same-owner -C "debian/$package/$folder"
}

# inside PROGRAM: its completions, the licences of what is inside, and a bill of it.
inside() {
    into "$1" usr/share/bash-completion/completions ".build/completions/$1"
    into "$1" usr/share/zsh/vendor-completions ".build/completions/_$1"
    into "$1" usr/share/fish/vendor_completions.d ".build/completions/$1.fish"
    debian/inside.py "$1" "debian/$1/$doc/$1"
}

# The client.
install -D -t debian/trestle/usr/bin "$bin/trestle"
inside trestle
into trestle usr/share/man/man1 .build/man/*.1
into trestle usr/share/man/man7 .build/man/*.7
into trestle $doc/trestle/examples config/client.yaml

# The daemon. What is below /etc is a conffile: an upgrade keeps what the administrator wrote.
install -D -t debian/trestled/usr/bin "$bin/trestled"
inside trestled
# For files of one's own, which are read over trestled.yaml.
mkdir -p debian/trestled/etc/trestle/trestled.d
into trestled usr/share/man/man5 .build/man/*.5
into trestled usr/share/man/man8 .build/man/trestled.8
into trestled etc/trestle config/trestled.yaml
install -D -m 644 config/trestled.default debian/trestled/etc/default/trestled
install -D -t debian/trestled/usr/lib/trestle systemd/trestle-backup
for unit in systemd/*.service systemd/*.socket systemd/*.timer; do
    case $unit in
        */trestle-serve*) ;;
        */\**) ;;
        *) into trestled lib/systemd/system "$unit" ;;
    esac
done

# The gateway, if it is built: `make deb` then sets the profile that has its package.
case " ${DEB_BUILD_PROFILES-} " in
    *" pkg.trestle.serve "*)
        install -D -t debian/trestle-serve/usr/bin "$GATEWAY"
        inside trestle-serve
        into trestle-serve lib/systemd/system systemd/trestle-serve.service
        into trestle-serve usr/share/man/man8 .build/man/trestle-serve.8
        tree trestle-serve usr/share/trestle -C .build web ;;
esac

# The client for Python, with the plugin of pytest.
debian/python.py debian/python3-trestle/usr/lib/python3/dist-packages
into python3-trestle $doc/python3-trestle clients/python/README.md clients/python/docs/recipes.md

# The documentation, in the folders that its links expect.
tree trestle-doc $doc/trestle-doc README.md CONTRIBUTING.md docs config \
    examples clients/python/README.md clients/python/docs
rm -rf debian/trestle-doc/$doc/trestle-doc/docs/man debian/trestle-doc/$doc/trestle-doc/docs/site \
    debian/trestle-doc/$doc/trestle-doc/docs/pictures/*.py
rm -f debian/trestle-doc/$doc/trestle-doc/docs/pictures/*.sh
if [ -d .build/site ]; then tree trestle-doc $doc/trestle-doc/html -C .build/site .; fi
