#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Looks whether a portable rankscope-cli is one: test_portable.sh [PROGRAM]. Which libraries it asks for, which version
# of the C library, if any, and whether it reads a job in a root that holds nothing but that (as root only).
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
program=${1:-build/portable/app/rankscope-cli}
die() { echo "test_portable: $*" >&2; exit 1; }
[ -x "$program" ] || die "there is no $program: packaging/portable.sh builds it"

needed=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort)
asks=${needed:-nothing}
echo "asks for: ${asks//$'\n'/ }"
for library in $needed; do
  case $library in
    libc.so.6 | libm.so.6 | ld-linux-*.so.*) ;;
    *) die "it asks for $library" ;;
  esac
done
if [ -n "$needed" ]; then
  version=$(readelf --dyn-syms -W "$program" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
  echo "C library from: $version"
  grep -q "\`$version\`" packaging/README.md || die "packaging/README.md names another version than $version"
fi

if [ "$(id -u)" -ne 0 ]; then
  echo "Not root: not tried in a root of its own."
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root"
if [ -n "$needed" ]; then
  ldd "$program" | grep -o '/[^ )]*' | while read -r library; do
    mkdir -p "$work/root$(dirname "$library")"
    cp -L "$library" "$work/root$library"
  done
fi
cp "$program" "$work/root/rankscope-cli"
cp -r tests/golden/overlap/input "$work/root/job"
mkdir "$work/root/tmp"
for call in "summary /job" "findings /job" "table ranks /job" "report /job --out /tmp/report --html"; do
  # shellcheck disable=SC2086
  chroot "$work/root" /rankscope-cli $call >"$work/out" 2>"$work/errors" || { cat "$work/errors" >&2; die "failed: $call"; }
  [ -s "$work/out" ] || [ -s "$work/root/tmp/report/ranks.csv" ] || die "nothing came of: $call"
done
chroot "$work/root" /rankscope-cli table ranks /job | cmp - tests/golden/overlap/expected/ranks.csv ||
  die "its table is not the expected one"
echo "One file, and it reads a job with nothing but ${needed:+the C library and }the kernel beside it."
