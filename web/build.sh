#!/bin/sh
# Puts the page together as it is served: web/build.sh FOLDER. It has one script, one style sheet and the languages, whose
# names have a hash of what is in them, so that a browser asks for each of them once. A map beside the script shows its sources.
set -eu
to=$(realpath -m "$1")
new=$to.new.$$
trap 'rm -rf "$new"' EXIT
mkdir -p "$new"
cd "$(dirname "$0")"
bundle() { esbuild "$@" --minify --log-level=warning --entry-names='[name]-[hash]' --outdir="$new/built"; }
bundle board=src/screen/main.js --bundle --format=esm --target=chrome110,firefox115,safari16.4 --sourcemap
cat style/tokens.css style/board.css style/row.css style/chrome.css > "$new/board.css"
bundle "$new/board.css"
rm "$new/board.css"
script=$(cd "$new" && echo built/*.js) style=$(cd "$new" && echo built/*.css)
languages=built/languages-$(cat languages/*.json | sha256sum | cut -c 1-8)
sed -e "/<!-- sources -->/,/<!-- \/sources -->/c\\
<link rel=\"modulepreload\" href=\"/$script\">\\
<link rel=\"stylesheet\" href=\"/$style\">" -e "s:/src/screen/main.js:/$script:" -e "s:\"/languages/:\"/$languages/:" index.html > "$new/index.html"
cp -R icons fonts manifest.webmanifest worker.js "$new"
mkdir "$new/$languages"
# Messages of the terminal alone stay out of the page.
for one in languages/*.json; do grep -v '^  "terminal\.' "$one" > "$new/$languages/$(basename "$one")"; done
rm -f "$new"/*/make.py
rm -rf "$to"
mv "$new" "$to"
