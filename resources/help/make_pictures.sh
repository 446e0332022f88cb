#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws the pictures of the help pages again, from generated jobs: make_pictures.sh BUILD_FOLDER
# A picture that is not shown on a page, or is too large, fails the test of the pages.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 BUILD_FOLDER" >&2; exit 1; }
rankscope=$1/app/rankscope
make_job=$1/tests/support/rankscope-make-job
pictures=$(cd "$(dirname "$0")" && pwd)/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen RANKSCOPE_CACHE_DIR=

# Eight GPUs of two hosts; rank 3 computes longer, and step 2 begins with a slow DataLoader on all ranks.
"$make_job" "$work/llama-ddp" --ranks 8 --ranks-per-node 4 --steps 4 --layers 12 --buckets 6 --overlap 700 --stack \
  --straggler 3:2ms:compute --gap dataloader:4ms:-1:2 --clock 0 --clock 3ms:20000 >"$work/log"

# picture NAME THEME OPTIONS...
picture() {
  name=$1 theme=$2
  shift 2
  "$rankscope" "$work/llama-ddp" --screenshot "$work/$name.png" --size 1280x720 --theme "$theme" --no-cache "$@"
  if command -v pngquant >/dev/null; then
    pngquant --force --nofs --output "$pictures/$name.png" 256 "$work/$name.png"
  elif command -v convert >/dev/null; then
    convert "$work/$name.png" +dither -colors 256 -define png:compression-level=9 -strip "PNG8:$pictures/$name.png"
  else
    cp "$work/$name.png" "$pictures/$name.png"
  fi
  if command -v optipng >/dev/null; then optipng -quiet -o5 "$pictures/$name.png"; fi
}

mkdir -p "$pictures"
rm -f "$pictures"/*.png
alone="--do window.findings" # without the panel of findings
picture job-dark dark --do tracks.foldAll --do window.bottomPanel
# shellcheck disable=SC2086
{
  picture pinned-dark dark --from 24ms --to 51ms --select rank=3,name=gemm $alone --do tracks.pin --do tracks.foldAll
  picture phases-light light --from 50ms --to 80ms $alone --do colour.phase
  picture kernel-dark dark --from 26ms --to 28ms --select rank=0,name=gemm $alone
  picture range-light light --select rank=0,name=backward $alone --do select.range --do move.focus --do move.focus
  picture palette-dark dark $alone --do window.palette
  picture collective-dark dark --from 40ms --to 50ms --select rank=3,name=ncclDevKernel_AllReduce $alone
  picture gap-light light $alone --do highlights.next --do highlights.next
}
