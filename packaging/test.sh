#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a bare Debian 12 to the last test: installs, builds with warnings as errors, and runs every test, none of which
# needs a display: test.sh [OPTIONS OF CTEST].
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh --tests
# shellcheck source=packaging/compiler_cache.sh
. packaging/compiler_cache.sh
cmake --preset ci
cmake --build --preset ci --parallel "$(nproc)"
export QT_QPA_PLATFORM=offscreen
exec ctest --preset ci --parallel "$(nproc)" --no-tests=error "$@"
