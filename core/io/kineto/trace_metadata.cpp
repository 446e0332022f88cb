// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/trace_metadata.h"

#include "core/io/json/json_text.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <new>
#include <set>
#include <string_view>

namespace rankscope {

namespace {

namespace dom = simdjson::dom;

std::string textOf(dom::element element) {
  std::string_view text;
  if (element.get_string().get(text) == simdjson::SUCCESS) return std::string(text);
  return simdjson::minify(element);
}

std::optional<std::int64_t> integerOf(dom::element element) {
  std::int64_t value = 0;
  if (element.get_int64().get(value) == simdjson::SUCCESS) return value;
  std::string_view text;
  if (element.get_string().get(text) == simdjson::SUCCESS) return signedFromToken(text);
  return std::nullopt;
}

std::string textAt(dom::element object, std::string_view key) {
  dom::element found;
  return object[key].get(found) == simdjson::SUCCESS ? textOf(found) : std::string();
}

std::optional<std::int64_t> integerAt(dom::element object, std::string_view key) {
  dom::element found;
  return object[key].get(found) == simdjson::SUCCESS ? integerOf(found) : std::nullopt;
}

ProcessGroup groupOf(dom::element item) {
  ProcessGroup group;
  group.name = textAt(item, "pg_name");
  group.description = textAt(item, "pg_desc");
  if (group.description.empty()) group.description = textAt(item, "uid");
  group.backend = textAt(item, "backend_config");
  group.size = integerAt(item, "pg_size");
  // A list if written by the API, a string if recorded on demand.
  group.ranks = RankList(ranksInList(textAt(item, "ranks")));
  return group;
}

// More ranks than any job has; larger values are invalid.
constexpr std::int64_t kMaxRanks = 100'000'000;

void takeDistributed(dom::element info, const RootMember& member, TraceMetadata& metadata,
                     Diagnostics& diagnostics) {
  const auto counted = [&](std::string_view key, std::int64_t minimum) {
    const auto value = integerAt(info, key);
    if (!value || (*value >= minimum && *value <= kMaxRanks)) return value;
    diagnostics.add(DiagnosticKind::Skipped, SourceRef(member.textAt),
                    "\"" + std::string(key) + "\" of \"distributedInfo\" is " + std::to_string(*value));
    return std::optional<std::int64_t>();
  };
  metadata.rank = counted("rank", 0);
  metadata.worldSize = counted("world_size", 1);
  metadata.backend = textAt(info, "backend");
  metadata.ncclVersion = textAt(info, "nccl_version");
  metadata.processGroups.clear();
  dom::element groups;
  if (info["pg_config"].get(groups) != simdjson::SUCCESS) return;
  dom::array list;
  if (groups.get_array().get(list) == simdjson::SUCCESS) {
    for (const dom::element item : list) metadata.processGroups.push_back(groupOf(item));
  }
}

void takeDevices(dom::element list, const RootMember& member, TraceMetadata& metadata,
                 Diagnostics& diagnostics) {
  dom::array items;
  if (list.get_array().get(items) != simdjson::SUCCESS) return;
  metadata.devices.clear();
  const auto number = [&](dom::element item, std::string_view key, std::int64_t maximum,
                          std::int64_t none = 0) {
    const std::int64_t value = integerAt(item, key).value_or(none);
    if (value == none || (value >= 0 && value <= maximum)) return value;
    diagnostics.add(DiagnosticKind::Skipped, SourceRef(member.textAt),
                    "\"" + std::string(key) + "\" of \"deviceProperties\" is " + std::to_string(value));
    return none;
  };
  for (const dom::element item : items) {
    DeviceProperties device;
    device.id = static_cast<int>(number(item, "id", INT32_MAX, -1));
    device.name = textAt(item, "name");
    device.totalMemoryBytes = static_cast<std::uint64_t>(number(item, "totalGlobalMem", INT64_MAX));
    device.computeMajor = static_cast<int>(number(item, "computeMajor", INT32_MAX));
    device.computeMinor = static_cast<int>(number(item, "computeMinor", INT32_MAX));
    device.multiprocessors = static_cast<int>(number(item, "numSms", INT32_MAX));
    metadata.devices.push_back(std::move(device));
  }
}

// Rejects base times that no clock can have, because they would move all times out of range.
TimeNs baseTimeOf(const dom::element& value, const RootMember& member, Diagnostics& diagnostics) {
  const std::int64_t base = integerOf(value).value_or(0);
  if (base >= 0 && base <= kMaxTime) return base;
  diagnostics.add(DiagnosticKind::Skipped, SourceRef(member.textAt),
                  "\"baseTimeNanoseconds\" is beyond the time range");
  return 0;
}

// cuda_runtime_version 12040 is 12.4: 1000 major + 10 minor. Empty for what no release has.
std::string cudaVersion(std::int64_t number) {
  if (number < 1000 || number > 999'999) return {};
  return fmt::format("CUDA {}.{}", number / 1000, number % 1000 / 10);
}

// hip_runtime_version 60443483 is 6.4.43483: 10^7 major + 10^5 minor + patch.
std::string hipVersion(std::int64_t number) {
  if (number < 10'000'000 || number > 9'999'999'999) return {};
  return fmt::format("HIP {}.{}.{}", number / 10'000'000, number / 100'000 % 100, number % 100'000);
}

struct VersionMember {
  std::string_view key;
  std::string TraceMetadata::*version;
  std::string (*textOf)(std::int64_t);
};
constexpr std::array kVersionMembers{
    VersionMember{"cuda_runtime_version", &TraceMetadata::runtimeVersion, cudaVersion},
    VersionMember{"cuda_driver_version", &TraceMetadata::driverVersion, cudaVersion},
    VersionMember{"hip_runtime_version", &TraceMetadata::runtimeVersion, hipVersion},
    VersionMember{"hip_driver_version", &TraceMetadata::driverVersion, hipVersion}};

const VersionMember* versionMember(std::string_view key) {
  const auto* const found = std::ranges::find(kVersionMembers, key, &VersionMember::key);
  return found == kVersionMembers.end() ? nullptr : found;
}

} // namespace

TraceMetadata metadataFrom(std::span<const RootMember> members, Diagnostics& diagnostics) {
  TraceMetadata metadata;
  dom::parser parser;
  std::set<std::string_view> seen;
  for (const RootMember& member : members) {
    static constexpr std::string_view kKnown[] = {
        "distributedInfo", "deviceProperties",     "host_name",
        "traceName",       "PT_PROFILER_JOB_NAME", "baseTimeNanoseconds"};
    const VersionMember* const version = versionMember(member.key);
    if (version == nullptr && std::ranges::find(kKnown, member.key) == std::end(kKnown)) continue;
    if (!seen.insert(member.key).second)
      diagnostics.add(DiagnosticKind::Suspicious, SourceRef(member.textAt),
                      "\"" + member.key + "\" occurs again: the last one is used");
    // Wrapped in brackets, because simdjson is stricter with scalar values at the root.
    dom::element root, value;
    const auto parses = [&](const std::string& text) {
      const auto parsed = parser.parse("[" + text + "]").get(root);
      if (parsed == simdjson::MEMALLOC) throw std::bad_alloc(); // not an error of the text
      return parsed == simdjson::SUCCESS && root.at(0).get(value) == simdjson::SUCCESS;
    };
    if (!parses(member.text) && !parses(repairedEvent(member.text, Repair::Bytes))) {
      diagnostics.add(DiagnosticKind::Skipped, SourceRef(member.textAt),
                      "\"" + member.key + "\" is not readable");
      continue;
    }
    if (version != nullptr)
      metadata.*version->version = version->textOf(integerOf(value).value_or(0));
    else if (member.key == "distributedInfo")
      takeDistributed(value, member, metadata, diagnostics);
    else if (member.key == "deviceProperties")
      takeDevices(value, member, metadata, diagnostics);
    else if (member.key == "host_name")
      metadata.hostName = textOf(value);
    else if (member.key == "traceName")
      metadata.traceName = textOf(value);
    else if (member.key == "PT_PROFILER_JOB_NAME")
      metadata.jobName = textOf(value);
    else
      metadata.baseTime = baseTimeOf(value, member, diagnostics);
  }
  return metadata;
}

} // namespace rankscope
