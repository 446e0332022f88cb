// SPDX-License-Identifier: GPL-3.0-or-later
// Extracts facts from a trace file's name and folders: the tool that wrote it, rank, host, process, step,
// position in a parallel layout, and which names belong together. Conservative: a fact that the name does not
// state clearly stays empty. Pure functions, thread-safe. Cost: linear in the name; only the last 4096 bytes
// of a path are used. Knows the conventions of torch.profiler, torchtitan, Megatron-LM, MegaScan, verl, vLLM,
// SGLang, TensorRT-LLM, Accelerate, Lightning, dynolog, HTA, Chakra, Flight Recorder.
#pragma once

#include "core/io/placement/name_facts.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

// relativePath: with '/' between folders, any bytes.
[[nodiscard]] NameFacts factsFromName(std::string_view relativePath);

// Whether a stamp is a wall time in nanoseconds since 1970. Shorter stamps ("worker0.163", a date without a
// year) are only used to order the files of a job.
[[nodiscard]] bool stampIsWallTime(std::int64_t stamp);

[[nodiscard]] FolderFacts factsFromFolder(std::string_view folderName);

// Replaces each number by '#', so that names of the same pattern are equal.
[[nodiscard]] std::string namePattern(std::string_view name);

// Name for the user, such as "torchtitan"; empty for Unknown.
[[nodiscard]] std::string_view producerText(Producer producer);

} // namespace rankscope
