#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes one file of the window that runs where Debian 12 or newer would: appimage.sh [--runtime FILE] [BUILD_FOLDER].
# Debian has mksquashfs but not the small program that an AppImage begins with (runtime-x86_64, "type 2"): with one that
# you have fetched and trust, the result is build/Rankscope-VERSION-MACHINE.AppImage; without, the same folder as
# build/Rankscope-VERSION-MACHINE.run, a shell script with an archive that unpacks itself beside its cache and runs.
set -euo pipefail

root=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
runtime=
if [ "${1:-}" = --runtime ]; then
  runtime=$(realpath -- "${2:?--runtime wants a file}")
  shift 2
fi
build=$(realpath -m -- "${1:-$root/build/package}")
"$root"/packaging/install_dependencies.sh --appimage
# shellcheck source=packaging/compiler_cache.sh
. "$root"/packaging/compiler_cache.sh
if [ ! -f "$build/CMakeCache.txt" ]; then
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRANKSCOPE_TESTS=OFF
fi
cmake --build "$build" --parallel "$(nproc)" --target rankscope rankscope-cli rankscope-make-job rankscope-demo rankscope-package-files

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=Rankscope-$version-$(uname -m)
app=$root/build/AppDir
rm -rf "$app"
cmake --install "$build" --prefix "$app/usr" --strip >/dev/null

# What Qt loads by itself, from where this machine's Qt has it; platforms that are not installed are left out.
plugins=$(dirname "$(find /usr/lib -path '*/qt6/plugins/platforms' -print -quit)")
for plugin in platforms/libqxcb.so platforms/libqoffscreen.so platforms/libqwayland-generic.so platforms/libqwayland-egl.so \
  wayland-shell-integration wayland-decoration-client wayland-graphics-integration-client xcbglintegrations \
  imageformats iconengines platforminputcontexts platformthemes/libqxdgdesktopportal.so; do
  if [ -e "$plugins/$plugin" ]; then
    mkdir -p "$app/usr/plugins/$(dirname "$plugin")"
    cp -rL "$plugins/$plugin" "$app/usr/plugins/$(dirname "$plugin")/"
  else
    echo "left out: $plugin"
  fi
done
# Libraries of all of them, but those that belong to the machine: the C library, the loader, graphics drivers, X.
own='/(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libGL|libGLX|libGLdispatch|libOpenGL|libEGL|libgbm|libdrm|libX11|libxcb|libX11-xcb|libfontconfig|libfreetype|libz)\.so'
mkdir -p "$app/usr/lib"
find "$app/usr/bin" "$app/usr/plugins" -type f \( -perm -u+x -o -name '*.so' \) -exec ldd {} \; 2>/dev/null |
  sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | { grep -vE "$own" || true; } |
  while read -r library; do cp -L "$library" "$app/usr/lib/"; done

cat >"$app/AppRun" <<'RUN'
#!/bin/sh
# Runs rankscope, or rankscope-cli when that is the first word, with the libraries beside it.
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH=$here/usr/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
QT_PLUGIN_PATH=$here/usr/plugins
export LD_LIBRARY_PATH QT_PLUGIN_PATH
program=rankscope
if [ "${1:-}" = rankscope-cli ]; then
  program=rankscope-cli
  shift
fi
exec "$here/usr/bin/$program" "$@"
RUN
chmod +x "$app/AppRun"
cp "$app/usr/share/applications/rankscope.desktop" "$app/"
cp "$app/usr/share/icons/hicolor/scalable/apps/rankscope.svg" "$app/"
ln -sf rankscope.svg "$app/.DirIcon"

echo "== run with nothing of this environment"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/tests/support/rankscope-make-job" "$work/job" --ranks 2 --steps 2 --layers 4 >/dev/null
rm -f "$work/job/ground_truth.json"
check() {
  env -i HOME="$work" "$@" "$work/job" --screenshot "$work/x.png" --size 1000x700 --no-cache
  [ "$(wc -c <"$work/x.png")" -gt 20000 ] || { echo "the picture is empty" >&2; exit 1; }
  rm "$work/x.png"
}
check "$app/AppRun"
env -i HOME="$work" LD_DEBUG=libs "$app/AppRun" rankscope-cli --version 2>"$work/libraries" >/dev/null
if grep 'calling init:' "$work/libraries" | grep -E 'libfmt|libsimdjson|libstdc' | grep -v "$app"; then
  echo "libraries of the machine were loaded in place of those in the folder" >&2
  exit 1
fi

if [ -n "$runtime" ]; then
  result=$root/build/$name.AppImage
  mksquashfs "$app" "$work/app.squashfs" -root-owned -noappend -comp zstd -quiet -no-progress
  cat "$runtime" "$work/app.squashfs" >"$result"
  chmod +x "$result"
else
  result=$root/build/$name.run
  tar -C "$app" --sort=name --owner=0 --group=0 -czf "$work/app.tar.gz" .
  sum=$(sha256sum "$work/app.tar.gz" | cut -c1-16)
  cat >"$result" <<RUN
#!/bin/sh
# Rankscope $version: unpacks itself once below the cache folder and runs; --unpack FOLDER only unpacks.
set -eu
to=\${XDG_CACHE_HOME:-\$HOME/.cache}/rankscope-app/$sum
if [ "\${1:-}" = --unpack ]; then to=\$2/Rankscope; fi
if [ ! -x "\$to/AppRun" ]; then
  mkdir -p "\$to.part"
  sed '1,/^ARCHIVE\$/d' "\$0" | tar -C "\$to.part" -xz
  mv "\$to.part" "\$to"
fi
if [ "\${1:-}" = --unpack ]; then exit 0; fi
exec "\$to/AppRun" "\$@"
ARCHIVE
RUN
  cat "$work/app.tar.gz" >>"$result"
  chmod +x "$result"
  check "$result"
fi
ls -l "$result"
