#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What clang-tidy says of the sources that changed: tidy.sh [--all | --since COMMIT]. Without either those of the last 20
# commits, the newest first and 10 at most: minutes, not hours. It cannot read GCC's precompiled headers, so its build
# folder has none, and nothing in it is compiled.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
most=10
checks=()
log=(git -c safe.directory='*' log --name-only --format= -n 20)
case "${1:-}" in
  '') ;;
  --all)
    most=''
    # The analyzer follows every path through a function: with it each file takes three times as long.
    checks=(--checks='clang-analyzer-*')
    log=(git -c safe.directory='*' ls-files)
    ;;
  --since)
    most=''
    log=(git -c safe.directory='*' log --name-only --format= "${2:?--since wants a commit}..HEAD")
    ;;
  *)
    echo "usage: ${0##*/} [--all | --since COMMIT]" >&2
    exit 1
    ;;
esac
packaging/install_dependencies.sh --tests --checks --tidy

files=()
declare -A seen=()
while IFS= read -r file; do
  if [ -n "${seen[$file]:-}" ] || [ ! -e "$file" ]; then continue; fi
  seen[$file]=1
  files+=("$file")
done < <("${log[@]}" -- 'core/*.cpp' 'ui/*.cpp' 'app/*.cpp' 'tests/*.cpp')
if [ ${#files[@]} -eq 0 ]; then
  echo "no source changed"
  exit 0
fi
if [ -n "$most" ] && [ ${#files[@]} -gt "$most" ]; then
  echo "${#files[@]} sources changed; clang-tidy looks at the $most that changed last"
  files=("${files[@]:0:$most}")
fi

cmake --preset tidy
# What sources include and the meta-object compiler makes.
cmake --build --preset tidy --parallel "$(nproc)" --target rankscope_ui_tests_autogen
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy -p build/tidy --quiet "${checks[@]}" --extra-arg=-Wno-unknown-warning-option
echo "clang-tidy has nothing to say of ${#files[@]} sources"
