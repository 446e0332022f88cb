#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a bare Debian 12 to the open window: installs, builds, and opens the folder or the trace files given, or the
# demo job. Without a display it prints the summary and draws the window into a file.
set -euo pipefail

paths=()
for path in "$@"; do
  if [ ! -e "$path" ]; then
    echo "usage: ${0##*/} [FOLDER | TRACE...]: there is no $path" >&2
    exit 1
  fi
  paths+=("$(realpath -- "$path")")
done

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
needs=()
targets=(rankscope)
if [ ${#paths[@]} -eq 0 ]; then targets+=(rankscope-demo); fi
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then needs+=(--display); else targets+=(rankscope-cli); fi
packaging/install_dependencies.sh "${needs[@]}"
# shellcheck source=packaging/compiler_cache.sh
. packaging/compiler_cache.sh
cmake --preset release
cmake --build --preset release --parallel "$(nproc)" --target "${targets[@]}"
built=build/release/app

if [ ${#paths[@]} -eq 0 ]; then paths=(build/release/resources/demo); fi

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec "$built/rankscope" "${paths[@]}"
fi
"$built/rankscope-cli" summary "${paths[@]}"
picture=build/rankscope.png
QT_QPA_PLATFORM=offscreen "$built/rankscope" "${paths[@]}" --screenshot "$picture"
echo "No display here: the window is drawn in $(realpath -- "$picture")"
