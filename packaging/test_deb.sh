#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the .deb and tries it on a bare Debian 12: test_deb.sh [BUILD_FOLDER]. The root is made by debootstrap from the
# mirror that apt is set to, and kept for the next time ($RANKSCOPE_ROOTS, else ~/.cache/rankscope-packaging). Installs
# the package there with nothing but what it depends on, runs both programs, looks for the desktop entry, file types,
# manual pages and completions, removes it and looks for anything left behind. Wants root, debootstrap and lintian.
set -euo pipefail

die() { echo "test_deb: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || die "has to be root, for debootstrap and chroot"
for tool in debootstrap chroot lintian; do
  command -v "$tool" >/dev/null || die "there is no $tool: apt-get install debootstrap lintian"
done
here=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")
build=$(realpath -m -- "${1:-$here/../build/package}")
suite=bookworm
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

deb=$("$here/deb.sh" "$build" "$work" | tail -n 1)
echo "== lintian"
# Who distributes it puts a mail address in (CPACK_PACKAGE_CONTACT); this tree has none.
lintian --allow-root --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$deb"

echo "== a bare root"
# shellcheck disable=SC2016 # apt fills these in
mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
  awk -v suite=$suite '$1 == suite && $2 == "main" { print $3; exit }')
[ -n "$mirror" ] || die "apt is not set to a mirror of $suite"
roots=${RANKSCOPE_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/rankscope-packaging}
archive=$roots/$suite.tar
root=$work/root
if [ ! -f "$archive" ]; then
  mkdir -p "$roots"
  debootstrap --variant=minbase $suite "$root" "$mirror" >"$work/debootstrap.log" 2>&1 ||
    { tail -n 20 "$work/debootstrap.log" >&2; die "debootstrap failed"; }
  tar -C "$root" --one-file-system -cf "$archive.part" .
  mv "$archive.part" "$archive"
else
  mkdir "$root"
  tar -C "$root" -xf "$archive"
fi
echo "deb $mirror $suite main" >"$root/etc/apt/sources.list"
for file in /etc/resolv.conf /etc/hosts; do if [ -e $file ]; then cp -L $file "$root$file"; fi; done
if [ -e /etc/apt/apt.conf ]; then cp /etc/apt/apt.conf "$root/etc/apt/"; fi

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp/home DEBIAN_FRONTEND=noninteractive \
  ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; die "failed: $*"; }; }
# Every file of the root but what package management writes about itself.
files() { (cd "$root" && find . -xdev \( -path ./tmp -o -path ./proc -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
  -o -path ./var/cache -o -path ./var/log \) -prune -o -print | LC_ALL=C sort); }
apt_install=(apt-get install -y -qq --no-install-recommends)

mkdir -p "$root/tmp/home"
cp "$deb" "$root/tmp/rankscope.deb"
quietly inside apt-get update -qq
quietly inside "${apt_install[@]}" ca-certificates
quietly inside apt-get satisfy -y -qq --no-install-recommends "$(dpkg-deb -f "$deb" Depends)"
files >"$work/before"

echo "== installed, with only what it depends on"
quietly inside "${apt_install[@]}" /tmp/rankscope.deb
"$build/tests/support/rankscope-make-job" "$root/tmp/job" --ranks 4 --steps 3 --layers 6 --straggler 2:2ms:compute >/dev/null
rm "$root/tmp/job/ground_truth.json" # what the generator knows of it is no trace
inside rankscope-cli --version
inside rankscope-cli summary /tmp/job | tee "$work/summary" | head -n 8
grep -q "4 ranks" "$work/summary" || die "the summary does not know the ranks"
inside rankscope-cli findings /tmp/job --no-cache | grep -q -i "straggler: rank 2" || die "the straggler was not found"
inside rankscope-cli table ranks /tmp/job | head -n 1 | grep -q '^rank,capture,host,gpu' || die "no table"
inside rankscope /tmp/job --screenshot /tmp/window.png --size 1280x800 --theme light
picture=$root/tmp/window.png
[ "$(head -c 8 "$picture" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || die "the picture is no PNG"
[ "$(wc -c <"$picture")" -gt 40000 ] || die "the picture is empty"
if [ -n "${RANKSCOPE_KEEP_PICTURE:-}" ]; then cp "$picture" "$RANKSCOPE_KEEP_PICTURE"; fi

echo "== removed, nothing left"
quietly inside apt-get purge -y -qq rankscope
files >"$work/after"
diff "$work/before" "$work/after" || die "these are left behind, or gone"

echo "== on a desktop"
quietly inside "${apt_install[@]}" desktop-file-utils shared-mime-info man-db
quietly inside "${apt_install[@]}" /tmp/rankscope.deb
inside desktop-file-validate /usr/share/applications/rankscope.desktop
# Some images of Debian leave manuals out by configuration; a bare root does not.
for page in rankscope rankscope-cli; do
  quietly inside man -w $page
  inside bash -n /usr/share/bash-completion/completions/$page
done
names=$(awk -F: '$2 ~ /kineto|rankscope/ { print $3 }' "$root/usr/share/mime/globs2" | sort | tr '\n' ' ')
[ "$names" = "*.pt.trace.json *.pt.trace.json.gz *.rankscope *.trace.json *.trace.json.gz " ] ||
  die "these names are taken for traces: $names"
claimed=$(grep rankscope.desktop "$root/usr/share/applications/mimeinfo.cache" | cut -d= -f1 | sort | tr '\n' ' ')
[ "$claimed" = "application/x-kineto-trace application/x-kineto-trace-compressed application/x-rankscope-session " ] ||
  die "the desktop entry opens: $claimed"
[ -e "$root/usr/share/icons/hicolor/scalable/apps/rankscope.svg" ] || die "no icon"
quietly inside apt-get purge -y -qq rankscope
if grep -rqE 'kineto|rankscope' "$root/usr/share/mime" "$root/usr/share/applications"; then die "file types are left behind"; fi
echo "The package installs, runs and goes away again: $(basename -- "$deb")"
