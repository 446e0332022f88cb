#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Renders the pictures of the help pages from the demo job: make_pictures.sh BUILD_FOLDER
# A picture that is not used on a page, or is too large, fails the test of the pages.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 BUILD_FOLDER" >&2; exit 1; }
rankscope=$1/app/rankscope
job=$1/resources/demo
pictures=$(cd "$(dirname "$0")" && pwd)/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen RANKSCOPE_CACHE_DIR=

# The demo job without its straggler and its stall, to compare with.
"$1/tests/support/rankscope-make-job" "$work/fixed" --ranks 8 --ranks-per-node 4 --steps 5 --layers 16 --stack \
  --overlap 600 >/dev/null
rm "$work/fixed/ground_truth.json"

# A log as NCCL writes it, for the ranks of the demo job: two hosts, of which one has a NIC without GPUDirect RDMA.
awk '
function say(rank, text) {
  pid = 20000 + 1370 * (rank % 4) + 7 * int(rank / 4)
  printf "node%d:%d:%d [%d] NCCL INFO %s\n", int(rank / 4), pid, pid, rank % 4, text
}
function init(state) {
  for (r = 0; r < 8; r++)
    say(r, sprintf("comm 0x5%d rank %d nranks 8 cudaDev %d nvmlDev %d busId %d000 commId 0xa11ce - Init %s", r, r, r % 4, r % 4, r % 4 + 1, state))
}
BEGIN {
  for (r = 0; r < 8; r++) say(r, "NCCL version 2.22.3+cuda12.6")
  for (r = 0; r < 8; r++) say(r, "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0." r + 1 "<0>")
  for (r = 0; r < 8; r++) say(r, "Using network IB")
  say(0, "NCCL_IB_QPS_PER_CONNECTION set by environment to 4.")
  init("START")
  for (c = 0; c < 4; c++) say(0, sprintf("Channel %02d/04 :    0   1   2   3   4   5   6   7", c))
  for (r = 0; r < 8; r++) {
    trees = "Trees"
    for (c = 0; c < 4; c++) {
      down = r % 4 < 3 ? r + 1 : -1
      up = r % 4 > 0 ? r - 1 : (r == 4 ? 0 : -1)
      trees = trees sprintf(" [%d] %d/%d/-1->%d->%d", c, down, r == 0 ? 4 : -1, r, up)
    }
    say(r, trees)
    say(r, sprintf("comm 0x5%d rank %d nRanks 8 nNodes 2 localRanks 4 localRank %d MNNVL 0", r, r, r % 4))
    say(r, "4 coll channels, 0 collnet channels, 0 nvls channels, 8 p2p channels, 2 p2p channels per peer")
  }
  for (c = 0; c < 4; c++)
    for (r = 0; r < 8; r++) {
      to = (r + 1) % 8
      if (r % 4 < 3) {
        say(r, sprintf("Channel %02d/0 : %d[%d] -> %d[%d] via P2P/CUMEM", c, r, r % 4, to, to % 4))
        continue
      }
      via = sprintf("NET/IB/%d%s", c % 2, r == 7 && c % 2 ? "" : "/GDRDMA")
      say(r, sprintf("Channel %02d/0 : %d[%d] -> %d[%d] [send] via %s", c, r, r % 4, to, to % 4, via))
      say(to, sprintf("Channel %02d/0 : %d[%d] -> %d[%d] [receive] via %s", c, r, r % 4, to, to % 4, via))
    }
  for (r = 0; r < 8; r++)
    say(r, sprintf("Init timings: rank %d nranks 8 total 2.31 (kernels 0.35, bootstrap 1.10, allgathers 0.02, topo 0.21, graphs 0.05, connections 0.51, rest 0.07)", r))
  init("COMPLETE")
}' >"$work/nccl.log"

# picture NAME THEME OPTIONS...: with a palette, so that it stays small.
picture() {
  name=$1 theme=$2
  shift 2
  "$rankscope" "$@" --screenshot "$work/$name.png" --size 1280x720 --theme "$theme"
  if command -v pngquant >/dev/null; then
    pngquant --force --nofs --output "$pictures/$name.png" 256 "$work/$name.png"
  elif command -v convert >/dev/null; then
    convert "$work/$name.png" +dither -colors 256 -define png:compression-level=9 -strip "PNG8:$pictures/$name.png"
  else
    cp "$work/$name.png" "$pictures/$name.png"
  fi
  if command -v optipng >/dev/null; then optipng -quiet -o5 "$pictures/$name.png"; fi
}

# A memory snapshot of a small model, alone.
"$1/tests/support/rankscope-make-job" "$work/small" --ranks 1 --steps 2 --layers 2 --training-snapshot >/dev/null
mkdir "$work/snapshot"
mv "$work/small/rank0_memory_snapshot.pickle" "$work/snapshot"

# Flight Recorder dumps of four ranks, of which rank 2 did not call the eleventh collective.
dump() {
  rank=$1 enqueued=$2 line=$3 function=$4
  call=$enqueued state=scheduled retired=false
  if [ "$enqueued" = 10 ]; then state=completed retired=true; fi
  printf '{"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}},
    "pg_status": {"0": {"last_enqueued_collective": "%s", "last_started_collective": "-1", "last_completed_collective": "10"}},
    "entries": [{"record_id": %s, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": %s, "profiling_name": "nccl:all_reduce",
    "input_sizes": [[4096, 1024]], "output_sizes": [[4096, 1024]], "input_dtypes": ["BFloat16"], "output_dtypes": ["BFloat16"],
    "state": "%s", "time_created_ns": 1700000000%s00000000, "retired": %s, "is_p2p": false, "frames": [
    {"filename": "/env/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py", "name": "all_reduce", "line": 2825},
    {"filename": "/data/me/train.py", "name": "%s", "line": %s}, {"filename": "/data/me/train.py", "name": "main", "line": 131}]}]}' \
    "$enqueued" "$enqueued" "$call" "$state" "$rank" "$retired" "$function" "$line" >"$work/hang/nccl_trace_rank_$rank.json"
}
mkdir "$work/hang"
for rank in 0 1 3; do dump $rank 11 96 average_loss; done
dump 2 10 74 train_step

mkdir -p "$pictures"
rm -f "$pictures"/*.png
picture start-light light
picture job-dark dark "$job" --do tracks.foldAll
picture overview-dark dark "$job" --view overview
alone="--do window.findings" # without the findings panel
# shellcheck disable=SC2086
{
  picture overview-light light "$job" --view overview $alone
  for tab in gains distributed parallelism operators stacks kernels efficiency memory query files; do picture $tab-light light "$job" --view $tab $alone; done
  picture network-light light "$job" "$work/nccl.log" --view network $alone
  picture snapshot-dark dark "$work/snapshot" --view memory $alone
  picture hang-light light "$work/hang" --view hang $alone
  picture compare-dark dark "$job" --with "$work/fixed" $alone
  picture pinned-dark dark "$job" --from 24ms --to 51ms --select rank=3,name=gemm $alone --do tracks.pin --do tracks.foldAll
  picture phases-light light "$job" --from 36ms --to 72ms $alone --do color.phase
  picture kernel-dark dark "$job" --from 37ms --to 40ms --select rank=0,name=gemm $alone
  picture range-light light "$job" --select rank=0,name=backward $alone --do select.range --do move.focus --do move.focus
  picture palette-dark dark "$job" $alone --do window.palette
  picture path-dark dark "$job" --from 24ms --to 51ms $alone --do path.show --do tracks.foldAll
  picture collective-dark dark "$job" --from 58ms --to 72ms --select rank=3,name=ncclDevKernel_AllReduce $alone --do tracks.foldAll
  picture gap-light light "$job" --from 100ms --to 125ms $alone --do highlights.next --do highlights.next
}
