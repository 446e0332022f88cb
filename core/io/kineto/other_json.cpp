// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/other_json.h"

#include "core/io/json/json_scan.h"

#include <algorithm>

namespace rankscope {

std::string kindOfObject(std::span<const std::string> keys) {
  const auto has = [&](std::string_view key) { return std::ranges::find(keys, key) != keys.end(); };
  if (has("schema") && has("nodes"))
    return "a PyTorch execution trace; open it with Chakra or et_replay. The profiler trace of the same run "
           "is another file";
  if (has("segments") || has("device_traces"))
    return "a PyTorch memory snapshot; open it at https://pytorch.org/memory_viz";
  if (has("pg_config") && (has("entries") || has("version")))
    return "a Flight Recorder dump; open it with torchfrtrace, which comes with PyTorch";
  if (has("traceEvents")) return "JSON whose \"traceEvents\" is no list";
  constexpr std::size_t kMaxNamed = 3;
  constexpr std::size_t kMaxLength = 40;
  if (keys.empty()) return "an empty JSON object";
  std::string text = "JSON of another kind, without \"traceEvents\"; it has ";
  for (std::size_t i = 0; i < std::min(kMaxNamed, keys.size()); ++i)
    text.append(i == 0 ? "\"" : ", \"").append(keys[i].substr(0, kMaxLength)).append("\"");
  return text + (keys.size() > kMaxNamed ? ", ..." : "");
}

std::optional<std::string> kindOfArray(std::string_view start) {
  const char* const end = start.data() + start.size();
  const char* const first = skipJsonSpace(start.data() + 1, end);
  if (start.empty() || first == end || *first == ']') return std::nullopt;
  if (*first == '[')
    return "JSON lists of numbers, as of a memory timeline (export_memory_timeline), not a list of events";
  if (*first != '{') return "a JSON list of values, not of events";
  const char* const objectEnd = skipJsonValue(first, end);
  // An event that is damaged or longer than the examined text cannot be judged.
  if (objectEnd > end) return std::nullopt;
  const std::string_view object(first, static_cast<std::size_t>(objectEnd - first));
  if (object.find("\"ph\"") != std::string_view::npos) return std::nullopt;
  return "a JSON list of objects that are no trace events";
}

} // namespace rankscope
