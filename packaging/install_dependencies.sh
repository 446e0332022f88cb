#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs from Debian 12 what Rankscope is built from and runs with, as far as it is missing; asks for nothing when
# everything is there, so that it works offline too. Further packages by option: --display what a window needs on a
# Wayland desktop without X, --tests GoogleTest and what tests start, --checks what CI looks at the sources with and a
# faster linker, --tidy clang-tidy and the compiler that it, the fuzzers and the `asan-core` build want, --package what
# makes and looks at a .deb, --portable what the portable program is built from besides, --appimage what packs one,
# --tsan what a QtCore for the thread sanitizer is built from.
set -euo pipefail

packages=(
  g++ cmake ninja-build
  libarchive-dev libboost-dev libcli11-dev libfmt-dev libisal-dev libsimdjson-dev libsqlite3-dev libxxhash-dev zlib1g-dev
  libopenmpi-dev # rankscope-digest on a cluster
  qt6-base-dev qt6-charts-dev qt6-svg-dev
  # Qt Charts' CMake files look for OpenGL, although nothing here draws with it.
  libqt6opengl6-dev libgl-dev libopengl-dev
  # What the window is written in, on a screen and in a picture.
  fonts-inter fonts-jetbrains-mono fonts-dejavu-core
)
wanted=() # installed where that is possible
s3rver=
for option in "$@"; do
  case "$option" in
    --display) packages+=(qt6-wayland) ;;
    --tests)
      packages+=(libgtest-dev libgmock-dev strace dbus-daemon)
      wanted+=(chromium-headless-shell) # looks at the HTML report
      wanted+=(python3-pandas) # runs the example of the guide
      wanted+=(protobuf-compiler python3-jsonschema) # read exported stacks back
      wanted+=(openmpi-bin) # starts rankscope-digest by several processes
      wanted+=(rclone openssh-client) # remotes and their servers
      command -v npm >/dev/null || wanted+=(nodejs npm)
      s3rver=yes
      ;;
    --checks) packages+=(git clang-format lld) ;;
    --tidy) packages+=(git clang clang-tidy libclang-rt-dev) ;;
    --package) packages+=(dpkg-dev file) ;;
    --portable) packages+=(dpkg-dev nasm make) ;;
    --appimage) packages+=(qt6-wayland squashfs-tools) ;;
    --tsan) packages+=(dpkg-dev libglib2.0-dev libicu-dev libpcre2-dev libdouble-conversion-dev libb2-dev libzstd-dev) ;;
    *)
      echo "usage: ${0##*/} [--display] [--tests] [--checks] [--tidy] [--package] [--portable] [--appimage] [--tsan]" >&2
      exit 1
      ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This is not Debian: install the likes of these yourself: ${packages[*]}" >&2
  exit 0
fi

installed() {
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}
# A server of S3 for tests, and the viewer that exported stacks are for, come from npm, into a folder of its own that tests
# look into.
install_s3rver() {
  [ -n "$s3rver" ] || return 0
  local folder=${RANKSCOPE_NODE_MODULES:-${XDG_CACHE_HOME:-$HOME/.cache}/rankscope-tests/node_modules}
  [ ! -e "$folder/.bin/s3rver" ] || [ ! -e "$folder/speedscope" ] || return 0
  command -v npm >/dev/null &&
    npm install --silent --no-audit --no-fund --prefix "${folder%/node_modules}" s3rver@3.7.1 speedscope@1.25.0 ||
    echo "Without s3rver and speedscope: tests that need them are skipped" >&2
}
trap install_s3rver EXIT

missing=()
for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done
optional=()
for package in "${wanted[@]}"; do installed "$package" || optional+=("$package"); done
[ ${#missing[@]} -gt 0 ] || [ ${#optional[@]} -gt 0 ] || exit 0

as_root=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    [ ${#missing[@]} -gt 0 ] || exit 0
    echo "Not root and no sudo: have these installed first: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo "${as_root[@]}")
fi
echo "Installing ${missing[*]} ${optional[*]}"
# The lists may be out of reach or out of date; whether that matters the installation tells.
"${as_root[@]}" apt-get update -qq </dev/null || true
if [ ${#missing[@]} -gt 0 ]; then
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
fi
# Without them some tests are skipped.
for package in "${optional[@]}"; do
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$package" </dev/null ||
    echo "Without $package: tests that need it are skipped" >&2
done
