#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes rankscope_VERSION_ARCHITECTURE.deb: deb.sh [BUILD_FOLDER] [OUTPUT_FOLDER]. Builds first, with optimisation and
# what hardens programs; a build folder that is named is taken as it is configured.
set -euo pipefail

root=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
build=$(realpath -m -- "${1:-$root/build/package}")
output=$(realpath -m -- "${2:-$root/build}")
"$root"/packaging/install_dependencies.sh --package
# shellcheck source=packaging/compiler_cache.sh
. "$root"/packaging/compiler_cache.sh
if [ ! -f "$build/CMakeCache.txt" ]; then
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRANKSCOPE_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr
fi
targets=(rankscope rankscope-cli rankscope-make-job rankscope-demo rankscope-package-files)
cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}"
mkdir -p "$output"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work" >"$work/log" 2>&1) ||
  { cat "$work/log" >&2; exit 1; }
packages=("$work"/*.deb)
mv "${packages[0]}" "$output/"
echo "$output/${packages[0]##*/}"
