// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/stack_files.h"

#include "core/export/json.h"
#include "core/report/stack_lines.h"

#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

void addFrames(std::string& line, const StackTree& tree, std::span<const std::uint32_t> frames) {
  for (const std::uint32_t frame : frames) {
    if (!line.empty()) line += ';';
    line += foldedFrame(tree.frames()[frame].text);
  }
}

std::string foldedStack(const StackTree& tree, const StackLine& stack) {
  std::string line;
  addFrames(line, tree, stack.places);
  addFrames(line, tree, stack.frames);
  return line;
}

std::string numbers(std::span<const std::uint32_t> values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

void addSpeedscopeFrames(JsonWriter& json, const StackTree& tree) {
  json.beginArray("frames");
  for (const StackTree::Frame& frame : tree.frames()) {
    json.beginObject();
    json.text("name", frame.text);
    const FramePlace place = framePlaceOf(frame.text);
    if (!place.file.empty()) {
      json.text("file", place.file);
      json.literal("line", place.line);
    }
    json.endObject();
  }
  json.endArray();
}

void addSpeedscopeProfile(JsonWriter& json, const WeighedStacks& stacks, std::string_view name,
                          std::span<const StackLine* const> lines) {
  std::vector<std::string> samples;
  samples.reserve(lines.size());
  std::vector<std::int64_t> weights;
  weights.reserve(lines.size());
  ExactSum total;
  for (const StackLine* const line : lines) {
    if (line->weight <= 0) continue; // its format has none below 0
    samples.push_back(numbers(line->frames));
    weights.push_back(line->weight);
    total += line->weight;
  }
  const StackUnit unit = unitOf(stacks.weight);
  json.beginObject();
  json.text("type", "sampled");
  json.text("name", name);
  json.text("unit", unit == StackUnit::Nanoseconds ? "nanoseconds"
                    : unit == StackUnit::Bytes     ? "bytes"
                                                   : "none");
  json.integer("startValue", 0);
  json.integer("endValue", total);
  json.literal("samples", fmt::format("[{}]", fmt::join(samples, ",")));
  json.literal("weights", fmt::format("[{}]", fmt::join(weights, ",")));
  json.endObject();
}

} // namespace

std::string foldedFrame(std::string_view frame) {
  std::string text;
  text.reserve(frame.size());
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const char c = frame[i];
    if (c == '\r' && i + 1 < frame.size() && frame[i + 1] == '\n') continue;
    if (c == ';')
      text += ':';
    else
      text += c == '\n' || c == '\r' ? ' ' : c;
  }
  return text;
}

std::string foldedText(const WeighedStacks& stacks) {
  // Frames that read alike once folded are one line.
  std::string text;
  std::string last;
  ExactSum weight;
  const auto end = [&] {
    if (!last.empty() && std::int64_t{weight} != 0)
      text += fmt::format("{} {}\n", last, std::int64_t{weight});
  };
  for (const StackLine& stack : stackLines(stacks)) {
    std::string line = foldedStack(stacks.tree, stack);
    if (line != last) {
      end();
      last = std::move(line);
      weight = 0;
    }
    weight += stack.weight;
  }
  end();
  return text;
}

std::string speedscopeText(const WeighedStacks& stacks, std::string_view title) {
  const std::vector<StackLine> lines = stackLines(stacks);
  std::map<std::vector<std::uint32_t>, std::vector<const StackLine*>> byPlace;
  for (const StackLine& line : lines) byPlace[line.places].push_back(&line);
  if (byPlace.empty()) byPlace[{}] = {};
  JsonWriter json;
  json.beginObject();
  json.text("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.text("name", title);
  json.text("exporter", "rankscope@" RANKSCOPE_VERSION);
  json.integer("activeProfileIndex", 0);
  json.beginObject("shared");
  addSpeedscopeFrames(json, stacks.tree);
  json.endObject();
  json.beginArray("profiles");
  for (const auto& [places, ofPlace] : byPlace) {
    std::string name;
    for (const std::uint32_t place : places) {
      if (!name.empty()) name += ", ";
      name += stacks.tree.frames()[place].text;
    }
    addSpeedscopeProfile(json, stacks, name.empty() ? title : std::string_view(name), ofPlace);
  }
  json.endArray();
  json.endObject();
  return json.take();
}

ResultTable stacksTable(const WeighedStacks& stacks) {
  const StackUnit unit = unitOf(stacks.weight);
  const TableColumn weight = unit == StackUnit::Nanoseconds ? TableColumn{"time_us", Unit::Nanoseconds}
                             : unit == StackUnit::Bytes     ? TableColumn{"bytes", Unit::Bytes}
                                                            : TableColumn{"events", Unit::Count};
  ResultTable table("stacks", {{"stack", Unit::Text}, {"count", Unit::Count}, weight});
  for (const StackLine& line : stackLines(stacks)) {
    const std::string stack = foldedStack(stacks.tree, line);
    table.addRow({Cell(std::string_view(stack)), Cell(line.count), Cell(line.weight)});
  }
  return table;
}

namespace {

std::vector<StackLine> linesOf(const StackDifference& difference) {
  return stackLines(difference.tree, [&](std::uint32_t node) {
    return std::int64_t{difference.a[node].weight} != 0 || std::int64_t{difference.b[node].weight} != 0;
  });
}

} // namespace

std::string foldedText(const StackDifference& difference) {
  // Frames that read alike once folded are one line.
  std::map<std::string, std::pair<ExactSum, ExactSum>> lines;
  for (const StackLine& stack : linesOf(difference)) {
    auto& [a, b] = lines[foldedStack(difference.tree, stack)];
    a += difference.a[stack.node].weight;
    b += difference.b[stack.node].weight;
  }
  std::string text;
  for (const auto& [stack, weights] : lines)
    text += fmt::format("{} {} {}\n", stack, std::int64_t{weights.first}, std::int64_t{weights.second});
  return text;
}

ResultTable stacksTable(const StackDifference& difference) {
  const StackUnit unit = unitOf(difference.weight);
  const auto column = [&](std::string_view side) -> TableColumn {
    if (unit == StackUnit::Nanoseconds) return {fmt::format("{}_us", side), Unit::Nanoseconds};
    if (unit == StackUnit::Bytes) return {fmt::format("{}_bytes", side), Unit::Bytes};
    return {fmt::format("{}_events", side), Unit::Count};
  };
  ResultTable table("stacks", {{"stack", Unit::Text}, column("a"), column("b"), column("delta")});
  for (const StackLine& line : linesOf(difference)) {
    const std::string stack = foldedStack(difference.tree, line);
    table.addRow({Cell(std::string_view(stack)), Cell(std::int64_t{difference.a[line.node].weight}),
                  Cell(std::int64_t{difference.b[line.node].weight}), Cell(difference.change(line.node))});
  }
  return table;
}

} // namespace rankscope
