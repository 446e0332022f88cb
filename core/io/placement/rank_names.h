// SPDX-License-Identifier: GPL-3.0-or-later
// Facts from a trace file's name and folders: who wrote it, which rank, host, process, step and part
// of a parallel layout it is, and which names belong together. It reads names only and trusts nothing: a fact
// that the name does not state stays empty, and numbers that merely happen to stand in a name are no ranks.
// Pure functions, safe on any thread. Cost: linear in the name; of a path longer than 4096 bytes only the end
// is read. Conventions of: torch.profiler, torchtitan, Megatron-LM, MegaScan, verl, vLLM, SGLang,
// TensorRT-LLM, Accelerate, Lightning, dynolog, HTA, Chakra, Flight Recorder.
#pragma once

#include "core/io/placement/name_facts.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

// relativePath: '/' between folders, any bytes.
[[nodiscard]] NameFacts factsFromName(std::string_view relativePath);

// A stamp is nanoseconds since 1970 when it was long enough to be a moment. Shorter ones ("worker0.163", a
// date without a year) only order the files of one job.
[[nodiscard]] bool stampIsWallTime(std::int64_t stamp);

[[nodiscard]] FolderFacts factsFromFolder(std::string_view folderName);

// Digits become one '#': names of one pattern are equal.
[[nodiscard]] std::string namePattern(std::string_view name);

// Text for people, for example "torchtitan"; empty for Unknown.
[[nodiscard]] std::string_view producerText(Producer producer);

} // namespace rankscope
