#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a bare Debian 12 to the open window: installs, builds, and opens the folder or the trace files given, or a job
# made up for the purpose. Without a display it prints the summary and draws the window into a file.
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
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then needs+=(--display); else targets+=(rankscope-cli); fi
if [ ${#paths[@]} -eq 0 ]; then targets+=(rankscope-make-job); fi
packaging/install_dependencies.sh "${needs[@]}"
# shellcheck source=packaging/compiler_cache.sh
. packaging/compiler_cache.sh
cmake --preset release
cmake --build --preset release --parallel "$(nproc)" --target "${targets[@]}"
built=build/release/app

if [ ${#paths[@]} -eq 0 ]; then
  generator=build/release/tests/support/rankscope-make-job
  demo=build/demo
  # Two nodes, a rank that makes the others wait, communication that nothing hides, and a step that starves for data.
  # Made again when the generator or this script is newer; never left half made.
  if [ ! -d "$demo" ] || [ "$generator" -nt "$demo" ] || [ packaging/run.sh -nt "$demo" ]; then
    rm -rf "$demo" "$demo.part"
    "$generator" "$demo.part" --ranks 8 --ranks-per-node 4 --steps 5 --layers 16 --stack --overlap 600 \
      --straggler 3:4ms:compute --gap dataloader:8ms:-1:3 >/dev/null
    # What the generator knows about the job is no trace.
    mv "$demo.part/ground_truth.json" build/demo-truth.json
    mv "$demo.part" "$demo"
    touch "$demo"
  fi
  paths=("$demo")
fi

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec "$built/rankscope" "${paths[@]}"
fi
"$built/rankscope-cli" summary "${paths[@]}"
picture=build/rankscope.png
QT_QPA_PLATFORM=offscreen "$built/rankscope" "${paths[@]}" --screenshot "$picture"
echo "No display here: the window is drawn in $(realpath -- "$picture")"
