#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Digests the traces of a job under Slurm: sbatch --nodes N slurm_digest.sh JOB.digest TRACES...
# One process on each node, with all of its cores; ends with what was read five minutes before the limit of the allocation.
# RANKSCOPE_LAUNCH is the command that starts the processes, RANKSCOPE_DIGEST the program.
#SBATCH --job-name=rankscope-digest
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: sbatch --nodes N ${0##*/} JOB.digest TRACES..." >&2
  exit 1
fi
out=$1
shift
read -r -a launch <<<"${RANKSCOPE_LAUNCH:-srun --mpi=pmix}"
exec "${launch[@]}" "${RANKSCOPE_DIGEST:-rankscope-digest}" --out "$out" --threads "${SLURM_CPUS_PER_TASK:-1}" \
  --time "${RANKSCOPE_TIME:-25m}" "$@"
