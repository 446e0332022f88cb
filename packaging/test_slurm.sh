#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests rankscope-digest under a real Slurm on this machine: test_slurm.sh BUILD. Starts munge, slurmctld and slurmd of its
# own for one node, and ends them. Wants root and the Debian packages munge, slurmctld, slurmd and slurm-client; without
# them it says so and ends with status 77.
set -euo pipefail

if [ $# -ne 1 ]; then
  echo "usage: ${0##*/} BUILD" >&2
  exit 1
fi
build=$(cd "$1" && pwd)
script=$(cd "$(dirname "$0")" && pwd)/slurm_digest.sh
for program in munged slurmctld slurmd srun sbatch; do
  if ! command -v "$program" >/dev/null; then
    echo "skipped: no $program (apt-get install munge slurmctld slurmd slurm-client)"
    exit 77
  fi
done
if [ "$(id -u)" -ne 0 ]; then
  echo "skipped: only root starts slurmd"
  exit 77
fi

folder=$(mktemp -d)
chmod 755 "$folder"
pids=()
finish() {
  for name in slurmd slurmctld munged; do
    if [ -f "$folder/$name.pid" ]; then
      pid=$(cat "$folder/$name.pid")
      kill "$pid" 2>/dev/null || true
      pids+=("$pid")
    fi
  done
  for pid in "${pids[@]}"; do
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  done
  rm -rf "$folder"
}
trap finish EXIT

# Waits up to 20 seconds for a command to succeed.
await() {
  for _ in $(seq 200); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  echo "$* did not succeed" >&2
  cat "$folder"/*.log >&2 || true
  return 1
}

host=$(hostname -s)
mkdir "$folder/state" "$folder/spool" "$folder/munge"
dd if=/dev/urandom of="$folder/munge/key" bs=128 count=1 2>/dev/null
chmod 600 "$folder/munge/key"
chmod 711 "$folder/munge"
munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/munge/seed"
cat >"$folder/slurm.conf" <<END
ClusterName=rankscope
SlurmctldHost=$host
SlurmUser=root
SlurmdUser=root
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
NodeName=$host CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
END
export SLURM_CONF=$folder/slurm.conf
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
await sh -c 'sinfo --noheader --format %t | grep -q idle'

digest=$build/app/rankscope-digest
"$build/tests/support/rankscope-make-job" "$folder/job" --ranks 5 --ranks-per-node 2 --clock 0ms 3ms --missing 1 >/dev/null
"$digest" --out "$folder/alone.digest" "$folder/job" 2>/dev/null
for tasks in 1 2 3; do
  srun --mpi=pmix --overcommit --ntasks "$tasks" "$digest" --threads 1 --out "$folder/$tasks.digest" "$folder/job" 2>/dev/null
  cmp "$folder/alone.digest/job.digest" "$folder/$tasks.digest/job.digest"
  echo "srun --mpi=pmix with $tasks tasks: equal"
done
# Tasks that do not know of each other would each digest the whole job.
if srun --overcommit --ntasks 2 "$digest" --out "$folder/none.digest" "$folder/job" 2>"$folder/refused"; then
  echo "srun without --mpi=pmix was not refused" >&2
  exit 1
fi
grep -q -- '--mpi=pmix' "$folder/refused"
test ! -e "$folder/none.digest"
echo "srun without --mpi=pmix: refused"
RANKSCOPE_DIGEST=$digest sbatch --wait --nodes 1 --cpus-per-task 1 --output "$folder/batch.txt" \
  "$script" "$folder/batch.digest" "$folder/job" >/dev/null
cmp "$folder/alone.digest/job.digest" "$folder/batch.digest/job.digest"
echo "sbatch ${script##*/}: equal"
