// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/job_part.h"

#include "core/base/number_ranges.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace rankscope {

namespace {

// Exact, unlike durationText: "20 ms", "20.000125 ms".
std::string exactText(TimeNs time) {
  constexpr TimeNs kMillisecond = 1'000'000;
  std::string text = std::to_string(time / kMillisecond);
  if (time % kMillisecond != 0) {
    text += fmt::format(".{:06}", time % kMillisecond);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + " ms";
}

std::string rangeText(const JobPart& part) {
  if (part.from && part.to) return exactText(*part.from) + " to " + exactText(*part.to);
  if (part.from) return "from " + exactText(*part.from) + " on";
  return part.to ? "until " + exactText(*part.to) : std::string();
}

std::string stepsOf(const LoadFilter::Steps& steps) {
  return steps.first == steps.last ? std::to_string(steps.first)
                                   : fmt::format("{}..{}", steps.first, steps.last);
}

std::string numbered(std::string_view one, const std::string& numbers) {
  const bool several = numbers.find_first_of(",-.") != std::string::npos;
  return fmt::format("{}{} {}", one, several ? "s" : "", numbers);
}

} // namespace

std::string rankList(const std::vector<int>& ranks) {
  std::string text = numberRangesText(ranks);
  std::erase(text, ' ');
  return text;
}

std::string partText(const JobPart& part) {
  std::string text;
  const auto add = [&text](const std::string& of) {
    if (of.empty()) return;
    if (!text.empty()) text += " · ";
    text += of;
  };
  if (!part.steps.empty()) add(numbered("step", part.steps));
  add(rangeText(part));
  if (!part.ranks.empty()) add(numbered("rank", part.ranks));
  if (part.capture) add("capture " + std::to_string(*part.capture));
  const LoadFilter& loaded = part.loaded;
  if (loaded.steps) add(numbered("step", stepsOf(*loaded.steps)) + " loaded");
  if (!loaded.ranks.empty()) add(numbered("rank", numberRangesText(loaded.ranks)) + " loaded");
  if (loaded.skipPython) add("without Python stack");
  if (loaded.skipCpuOps) add("without CPU operators");
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::vector<std::string> loadArguments(const JobPart& part) {
  std::vector<std::string> words;
  if (part.capture) words.insert(words.end(), {"--capture", std::to_string(*part.capture)});
  if (part.loaded.skipPython) words.emplace_back("--skip-python");
  if (part.loaded.skipCpuOps) words.emplace_back("--skip-cpu-ops");
  if (part.loaded.steps) words.insert(words.end(), {"--load-steps", stepsOf(*part.loaded.steps)});
  return words;
}

std::vector<std::string> tableArguments(const JobPart& part) {
  std::vector<std::string> words;
  if (!part.steps.empty()) words.insert(words.end(), {"--steps", part.steps});
  if (part.from) words.insert(words.end(), {"--from", fmt::format("{}ns", *part.from)});
  if (part.to) words.insert(words.end(), {"--to", fmt::format("{}ns", *part.to)});
  if (!part.ranks.empty()) words.insert(words.end(), {"--ranks", part.ranks});
  return words;
}

std::vector<std::string> windowArguments(const Analysis& analysis, JobTime origin) {
  std::vector<std::string> words;
  const bool cut = std::ranges::any_of(
      analysis.ranks(), [&](RankIndex rank) { return analysis.window(rank) != kWholeRecording; });
  if (cut) {
    const JobRange range = partRange(analysis);
    words.insert(words.end(),
                 {"--range", fmt::format("{}ns..{}ns", range.begin - origin, range.end - origin)});
  }
  std::set<int> all, chosen;
  for (const RankEntry& entry : analysis.trace().ranks()) all.insert(entry.rank);
  for (const RankIndex rank : analysis.ranks()) chosen.insert(analysis.trace().rank(rank).rank);
  if (chosen.size() < all.size())
    words.insert(words.end(), {"--ranks", rankList({chosen.begin(), chosen.end()})});
  return words;
}

JobRange partRange(const Analysis& analysis) {
  JobRange range;
  for (const RankIndex rank : analysis.ranks()) {
    const RankRange own = RankRange::of(analysis.trace().rank(rank).trace->extent);
    range = range.unitedWith(analysis.clocks().of(rank).toJob(own.clippedTo(analysis.window(rank))));
  }
  return range.clippedTo(analysis.extent());
}

void writePart(JsonWriter& json, const JobPart& part, const Analysis& analysis) {
  const auto text = [&json](std::string_view name, const std::string& value) {
    if (value.empty())
      json.null(name);
    else
      json.text(name, value);
  };
  const JobRange range = partRange(analysis);
  const JobTime begin = analysis.extent().begin;
  json.beginObject("part");
  text("text", partText(part));
  json.literal("from_us", microsecondsText(range.empty() ? 0 : range.begin - begin));
  json.literal("to_us", microsecondsText(range.empty() ? 0 : range.end - begin));
  text("steps", part.steps);
  text("ranks", part.ranks);
  if (part.capture)
    json.integer("capture", *part.capture);
  else
    json.null("capture");
  text("loaded_steps", part.loaded.steps ? stepsOf(*part.loaded.steps) : std::string());
  json.literal("python_loaded", part.loaded.skipPython ? "false" : "true");
  json.literal("cpu_ops_loaded", part.loaded.skipCpuOps ? "false" : "true");
  json.endObject();
}

} // namespace rankscope
