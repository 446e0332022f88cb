# Writes OUTPUT, a source that defines kReaderFingerprint: a hash of the names and contents of all sources in MODULES of CORE.
set(all "")
foreach(module IN LISTS MODULES)
  file(GLOB_RECURSE sources RELATIVE ${CORE} ${CORE}/${module}/*.h ${CORE}/${module}/*.cpp)
  list(SORT sources)
  foreach(source IN LISTS sources)
    file(SHA256 ${CORE}/${source} hash)
    string(APPEND all "${source} ${hash}\n")
  endforeach()
endforeach()
string(SHA256 fingerprint "${all}")
string(SUBSTRING ${fingerprint} 0 16 fingerprint)
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: GPL-3.0-or-later
#include \"core/io/cache/trace_cache.h\"

const std::uint64_t rankscope::kReaderFingerprint = 0x${fingerprint}U;
")
