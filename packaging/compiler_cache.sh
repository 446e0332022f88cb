# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# To be sourced before CMake configures: compiles by way of ccache where there is one. Headers are precompiled, whose
# macros and times of change it would else count as changes of every source. Comments count: GCC finds a header again in a
# precompiled one by its bytes, and would define everything twice if the precompiled one had another comment.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  export CCACHE_COMMENTS=1
  # Another checkout of the same sources finds what this one compiled.
  CCACHE_BASEDIR=$(pwd)
  export CCACHE_BASEDIR CCACHE_NOHASHDIR=1
fi
