#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What takes too long for every change: nightly.sh [MINUTES FOR EACH FUZZ TARGET, 10 if not said]. All tests under the
# address and undefined sanitizers, with the window and with recordings; all tests under the thread sanitizer; the long
# random series; fuzzing that searches for inputs by what they reach; clang-tidy with its analyzer over everything. Goes
# on after a failure and tells at its end what failed and what each part took.
# shellcheck disable=SC2317 # functions that part calls
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
minutes=${1:-10}
packaging/install_dependencies.sh --tests --checks --tidy --tsan
# shellcheck source=packaging/compiler_cache.sh
. packaging/compiler_cache.sh
export QT_QPA_PLATFORM=offscreen
export RANKSCOPE_MONKEY_ACTIONS=1000

results=()
failed=0
part() {
  local name=$1 began=$SECONDS result=ok
  shift
  echo "== $name"
  # In a shell of its own, so that it ends at its first failure and the next part begins all the same.
  (set -e; "$@") &
  wait $! || { result=FAILED; failed=1; }
  results+=("$(printf '%-6s %6d s  %s' "$result" $((SECONDS - began)) "$name")")
}

address_sanitizer() {
  cmake --preset asan
  cmake --build --preset asan --parallel "$(nproc)"
  ctest --preset asan --parallel "$(nproc)" --no-tests=error
}

# Each has a folder of seeds.
fuzz_targets() { basename --multiple tests/fuzz/seeds/*; }

# As many changed copies and actions as take hours, from another seed every night.
random_series() {
  local seed
  seed=$(date +%s)
  echo "seed $seed"
  cmake --preset ci
  cmake --build --preset ci --parallel "$(nproc)"
  for target in $(fuzz_targets); do
    RANKSCOPE_CACHE_DIR='' "build/ci/tests/fuzz/rankscope-fuzz-$target" "tests/fuzz/seeds/$target" 500000 "$seed"
  done
  RANKSCOPE_CACHE_DIR='' build/ci/tests/fuzz/rankscope-mutate --variants 50000
  RANKSCOPE_CACHE_DIR='' RANKSCOPE_MEMORY_MOMENTS=5000 build/ci/tests/unit/rankscope_unit_tests \
    --gtest_filter='MemoryEnd.*'
  RANKSCOPE_CACHE_DIR='' RANKSCOPE_NSYS_MUTATIONS=5000 build/ci/tests/unit/rankscope_unit_tests \
    --gtest_filter='NsysTrust.*'
  RANKSCOPE_CACHE_DIR='' RANKSCOPE_RANDOM_JOBS=60 build/ci/tests/unit/rankscope_unit_tests \
    --gtest_filter='RandomGains.*'
  RANKSCOPE_CACHE_DIR='' RANKSCOPE_TRIALS=400 build/ci/tests/unit/rankscope_unit_tests \
    --gtest_filter='Comparison.anotherSeedIsNoRegression'
  RANKSCOPE_CACHE_DIR='' RANKSCOPE_TWINS=200 build/ci/tests/unit/rankscope_unit_tests \
    --gtest_filter='RandomTwins.*'
  RANKSCOPE_CACHE_DIR='' RANKSCOPE_MONKEY_SEED=$seed RANKSCOPE_MONKEY_ACTIONS=50000 QTEST_FUNCTION_TIMEOUT=36000000 \
    build/ci/tests/ui/rankscope_ui_tests monkey_test
}

# What libFuzzer finds stays in build/fuzz-found, and the inputs that reach more in build/fuzz-corpus for the next night.
fuzzing() {
  cmake --preset fuzz
  cmake --build --preset fuzz --parallel "$(nproc)" --target rankscope-fuzz-targets
  mkdir -p build/fuzz-found
  for target in $(fuzz_targets); do
    mkdir -p "build/fuzz-corpus/$target"
    RANKSCOPE_CACHE_DIR='' "build/fuzz/tests/fuzz/rankscope-fuzz-$target" -max_total_time=$((minutes * 60)) -timeout=10 \
      -artifact_prefix="build/fuzz-found/$target-" "build/fuzz-corpus/$target" "tests/fuzz/seeds/$target"
  done
}

part "all tests under the address and undefined sanitizers" address_sanitizer
part "all tests under the thread sanitizer" tests/thread_sanitizer.sh --parallel "$(nproc)"
part "long random series" random_series
part "fuzzing" fuzzing
part "clang-tidy and its analyzer over everything" tests/tidy.sh --all

echo
printf '%s\n' "${results[@]}"
exit "$failed"
