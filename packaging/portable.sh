#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds rankscope-cli as one file that needs nothing but the C library, to be copied to a cluster node:
# build/portable/app/rankscope-cli. With --with-libc it needs nothing but the kernel, for nodes whose C library is older
# than this machine's. Debian has simdjson and ISA-L as shared libraries only; their sources come from
# the mirror that apt is set to, or from the folders SIMDJSON_SOURCE (with simdjson.cpp) and ISAL_SOURCE.
set -euo pipefail

with_libc=OFF
case "$*" in
  '') ;;
  --with-libc) with_libc=ON ;;
  *) echo "usage: ${0##*/} [--with-libc]" >&2; exit 1 ;;
esac
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh --portable
sources=$PWD/build/portable-sources
mkdir -p "$sources"

if [ -z "${SIMDJSON_SOURCE:-}" ]; then
  compgen -G "$sources/simdjson-*/singleheader" >/dev/null || packaging/debian_source.sh "$sources" simdjson
  SIMDJSON_SOURCE=$(compgen -G "$sources/simdjson-*/singleheader" | head -n 1)
fi
if [ -z "${ISAL_SOURCE:-}" ]; then
  compgen -G "$sources/libisal-*/Makefile.unx" >/dev/null || packaging/debian_source.sh "$sources" libisal
  ISAL_SOURCE=$(dirname "$(compgen -G "$sources/libisal-*/Makefile.unx" | head -n 1)")
fi
isal=$sources/isal
if [ ! -f "$isal/libisal.a" ]; then
  mkdir -p "$isal/include"
  # Only what inflates.
  make -s -C "$ISAL_SOURCE" -f Makefile.unx -j "$(nproc)" units="crc igzip" lib >"$isal/log" 2>&1 ||
    { tail -n 20 "$isal/log" >&2; exit 1; }
  rm -rf "$isal/include/isa-l"
  cp -r "$ISAL_SOURCE/include" "$isal/include/isa-l"
  cp "$ISAL_SOURCE/bin/isa-l.a" "$isal/libisal.a"
fi

# shellcheck source=packaging/compiler_cache.sh
. packaging/compiler_cache.sh
xxhash=$(find /usr/lib -name libxxhash.a -print -quit)
[ -n "$xxhash" ] || { echo "there is no libxxhash.a (libxxhash-dev)" >&2; exit 1; }
sqlite=$(find /usr/lib -name libsqlite3.a -print -quit)
[ -n "$sqlite" ] || { echo "there is no libsqlite3.a (libsqlite3-dev)" >&2; exit 1; }
cmake --preset portable "-DRANKSCOPE_PORTABLE_LIBC=$with_libc" "-DRANKSCOPE_SIMDJSON_SOURCE=$SIMDJSON_SOURCE" "-DISAL_LIBRARY=$isal/libisal.a" \
  "-DISAL_INCLUDE_DIR=$isal/include" "-DXXHASH_LIBRARY=$xxhash" \
  "-DSQLite3_LIBRARY=$sqlite"
cmake --build --preset portable --parallel "$(nproc)" --target rankscope-cli
strip --strip-unneeded build/portable/app/rankscope-cli
ls -l build/portable/app/rankscope-cli
