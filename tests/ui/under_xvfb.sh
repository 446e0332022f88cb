#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a command on a display of its own, with the platform that desktops use. Without Xvfb, or where it does not
# start, it runs as it is called, offscreen.
set -u
ready=$(mktemp)
trap 'rm -f "$ready"; [ -z "${server:-}" ] || kill "$server" 2>/dev/null' EXIT
trap 'exit 143' TERM INT
server=
if command -v Xvfb >/dev/null; then
  Xvfb -displayfd 3 -screen 0 1600x1200x24 -nolisten tcp 3>"$ready" >/dev/null 2>&1 &
  server=$!
  tries=0
  while [ ! -s "$ready" ] && kill -0 "$server" 2>/dev/null && [ "$tries" -lt 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
fi
if [ -s "$ready" ]; then
  DISPLAY=:$(cat "$ready") QT_QPA_PLATFORM=xcb "$@"
else
  "$@"
fi
