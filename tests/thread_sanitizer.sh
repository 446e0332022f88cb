#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs all tests under the thread sanitizer: thread_sanitizer.sh [OPTIONS OF CTEST]. Qt hands work from thread to thread
# under locks of its own, which the sanitizer only knows of a QtCore that is built for it as well: from Debian's source,
# once, into build/tsan-qt.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh --tests --tsan
# shellcheck source=packaging/compiler_cache.sh
. packaging/compiler_cache.sh
libraries=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
qt=$PWD/build/tsan-qt
if [ ! -e "$qt/build/lib/libQt6Core.so.6" ]; then
  compgen -G "$qt/source/qt6-base-*/CMakeLists.txt" >/dev/null || packaging/debian_source.sh "$qt/source" qt6-base
  source=$(dirname "$(compgen -G "$qt/source/qt6-base-*/CMakeLists.txt" | head -n 1)")
  sanitize="-fsanitize=thread -O1 -g1"
  parts=()
  for part in gui widgets network sql dbus xml testlib concurrent mimetype_database; do parts+=("-DFEATURE_$part=OFF"); done
  # The sanitizer does not follow a process that is begun in its parent's memory.
  parts+=(-DFEATURE_forkfd_pidfd=OFF)
  # What Debian's QtCore has, other libraries of Qt ask for.
  for part in glib icu system_pcre2 zstd; do parts+=("-DFEATURE_$part=ON"); done
  cmake -G Ninja -S "$source" -B "$qt/build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=$sanitize" \
    "-DCMAKE_C_FLAGS=$sanitize" -DCMAKE_SHARED_LINKER_FLAGS=-fsanitize=thread -DCMAKE_EXE_LINKER_FLAGS=-fsanitize=thread \
    -DQT_BUILD_TESTS=OFF -DQT_BUILD_EXAMPLES=OFF -DQT_HOST_PATH=/usr "-DQT_HOST_PATH_CMAKE_DIR=$libraries/cmake" "${parts[@]}"
  cmake --build "$qt/build" --target Core
fi
cmake --preset tsan
cmake --build --preset tsan
# Tests start programs: a process that has threads is copied for that.
export TSAN_OPTIONS="die_after_fork=0 suppressions=$PWD/tests/thread_sanitizer.supp"
# GLib's locks are its own as well.
export QT_NO_GLIB=1
export LD_LIBRARY_PATH=$qt/build/lib QT_PLUGIN_PATH=$libraries/qt6/plugins
ctest --preset tsan "$@"
