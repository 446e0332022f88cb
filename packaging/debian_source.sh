#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Unpacks the source of a Debian package into a folder: debian_source.sh FOLDER PACKAGE. It comes from the mirror that apt
# is set to, under the same keys; nothing of it gets into the system's own lists. Wants dpkg-dev.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: ${0##*/} FOLDER PACKAGE" >&2; exit 1; }
mkdir -p "$1"
cd "$1"
apt=$PWD/apt
if [ ! -d "$apt" ]; then
  mkdir -p "$apt/lists/partial" "$apt/parts"
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    if [ -f "$list" ]; then sed 's/^deb /deb-src /' "$list" >"$apt/parts/$(basename "$list")"; fi
  done
  for list in /etc/apt/sources.list.d/*.sources; do
    if [ -f "$list" ]; then sed 's/^Types:.*/Types: deb-src/' "$list" >"$apt/parts/$(basename "$list")"; fi
  done
fi
options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt/parts" -o "Dir::State::lists=$apt/lists"
  -o APT::Sandbox::User=root)
[ -n "$(ls "$apt"/lists/*Sources* 2>/dev/null)" ] || apt-get "${options[@]}" update -qq
apt-get "${options[@]}" source -qq "$2" >/dev/null
