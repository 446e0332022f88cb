// SPDX-License-Identifier: GPL-3.0-or-later
// The baseline file of compare_files.h.
#include "core/export/json.h"
#include "core/report/compare_files.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <simdjson.h>
#include <utility>

namespace rankscope {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMostRows = 400;
constexpr std::size_t kMostSamples = 1000;

// What a baseline keeps of a side.
struct Extent {
  std::size_t rows = kMostRows;
  bool leavesOfSamples = true; // else their means
};

std::vector<std::size_t> usedLeaves(const SideFacts& side) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < kClassLeaves; ++i) {
    const auto has = [&](const SideSample& sample) { return sample.leaves[i] != 0; };
    if (std::ranges::any_of(side.samples, has)) used.push_back(i);
  }
  return used;
}

std::string leafKey(std::size_t slot) {
  return fmt::format("{}/{}", timeClassText(static_cast<TimeClass>(slot / kLeafCount)),
                     leafText(static_cast<Leaf>(slot % kLeafCount)));
}

// Nothing for what no leaf is called.
std::optional<std::size_t> slotOfKey(std::string_view key) {
  for (std::size_t i = 0; i < kClassLeaves; ++i) {
    if (leafKey(i) == key) return i;
  }
  return std::nullopt;
}

// Arrays of numbers and texts on one line, which JsonWriter would spread.
class Line {
 public:
  Line& number(double value) {
    next();
    fmt::format_to(std::back_inserter(m_text), "{}", value);
    return *this;
  }
  Line& text(std::string_view value) {
    next();
    m_text += jsonString(value);
    return *this;
  }
  Line& list(std::string_view value) {
    next();
    m_text += value;
    return *this;
  }
  [[nodiscard]] std::string take() { return m_text + "]"; }

 private:
  void next() {
    if (m_text.size() > 1) m_text += ',';
  }
  std::string m_text = "[";
};

void addSamples(JsonWriter& json, const SideFacts& side, const Extent& extent) {
  const std::vector<std::size_t> leaves = usedLeaves(side);
  const ClassLeafTimes means = side.meanLeaves();
  Line names;
  Line meanLine;
  for (const std::size_t slot : leaves) {
    names.text(leafKey(slot));
    meanLine.number(means[slot]);
  }
  json.literal("leaves", names.take());
  json.literal("mean_leaves_ns", meanLine.take());
  json.beginArray("samples");
  // The latest, where there are too many.
  const std::size_t first = side.samples.size() > kMostSamples ? side.samples.size() - kMostSamples : 0;
  for (std::size_t i = first; i < side.samples.size(); ++i) {
    const SideSample& sample = side.samples[i];
    Line line;
    line.number(static_cast<double>(sample.cycle)).number(static_cast<double>(sample.number));
    line.number(static_cast<double>(sample.status)).number(static_cast<double>(sample.ranks));
    line.number(sample.duration);
    for (const double time : sample.classes) line.number(time);
    Line values;
    if (extent.leavesOfSamples) {
      for (const std::size_t slot : leaves) values.number(sample.leaves[slot]);
    }
    json.literal({}, line.list(values.take()).take());
  }
  json.endArray();
}

template <class Row, class WeightOf>
std::vector<Row> largest(std::vector<Row> rows, std::size_t most, WeightOf&& weightOf) {
  std::ranges::stable_sort(rows, std::greater<>(), weightOf);
  if (rows.size() > most) rows.resize(most);
  return rows;
}

void addRowsOf(JsonWriter& json, const SideFacts& side, const Extent& extent) {
  json.beginArray("operators");
  for (const SideOperator& row : largest(side.operators, extent.rows, [](const SideOperator& one) {
         return std::pair(one.owned, one.hostSelf);
       })) {
    Line line;
    line.text(row.name).text(row.shapes).text(row.phase).text(row.module);
    json.literal({}, line.number(row.calls).number(row.hostSelf).number(row.device).number(row.owned).take());
  }
  json.endArray();
  json.beginArray("kernels");
  for (const SideKernel& row :
       largest(side.kernels, extent.rows, [](const SideKernel& one) { return one.time; })) {
    Line line;
    line.text(row.name).text(row.operatorName).number(row.computes ? 1 : 0);
    json.literal({}, line.number(row.calls).number(row.time).number(row.owned).take());
  }
  json.endArray();
  json.beginArray("modules");
  for (const SideModule& row :
       largest(side.modules, extent.rows, [](const SideModule& one) { return one.owned; })) {
    Line line;
    line.text(row.path).number(row.calls).number(row.host).number(row.device);
    json.literal({}, line.number(row.owned).take());
  }
  json.endArray();
  json.beginArray("collectives");
  for (const SideCollective& row :
       largest(side.collectives, extent.rows, [](const SideCollective& one) { return one.exposed; })) {
    Line line;
    line.text(row.group).text(row.operation).number(static_cast<double>(row.bytes)).number(row.calls);
    line.number(row.wait).number(row.transfer).number(row.exposed).number(row.busBytes);
    json.literal({}, line.number(row.busTime).take());
  }
  json.endArray();
  json.beginArray("ranks");
  for (const SideRank& row : side.ranks) {
    Line line;
    json.literal({}, line.number(row.rank).number(row.step).number(row.wait).number(row.exposed).take());
  }
  json.endArray();
}

void addIdentity(JsonWriter& json, const SideIdentity& identity) {
  json.text("job", identity.job);
  Line ranks;
  for (const int rank : identity.ranks) ranks.number(rank);
  json.literal("rank_numbers", ranks.take());
  if (identity.worldSize) json.integer("world_size", *identity.worldSize);
  json.integer("captures", static_cast<std::int64_t>(identity.cycles));
  json.integer("equal_captures", identity.equalCycles ? 1 : 0);
  json.text("device", identity.devices);
  json.text("hosts", identity.hosts);
  json.text("backend", identity.backend);
  json.text("nccl", identity.ncclVersion);
  json.text("runtime", identity.runtimeVersion);
  json.text("driver", identity.driverVersion);
  json.integer("found", static_cast<std::int64_t>(identity.found));
  json.integer("device_events", static_cast<std::int64_t>(identity.deviceEvents));
  json.integer("has_devices", identity.hasDevices ? 1 : 0);
  json.integer("shapes", static_cast<std::int64_t>(identity.shapes));
  json.integer("stacks", static_cast<std::int64_t>(identity.stacks));
  json.integer("memory", static_cast<std::int64_t>(identity.memory));
  if (identity.peakAllocatedBytes) json.integer("peak_allocated_bytes", *identity.peakAllocatedBytes);
}

std::string textWith(const SideFacts& side, const Extent& extent) {
  JsonWriter json;
  json.beginObject();
  json.integer("schema", 1);
  json.integer("are_steps", side.areSteps ? 1 : 0);
  addIdentity(json, side.identity);
  addSamples(json, side, extent);
  addRowsOf(json, side, extent);
  json.beginArray("findings");
  for (std::size_t i = 0; i < std::min<std::size_t>(side.findings.size(), 50); ++i) {
    const SideFinding& finding = side.findings[i];
    Line line;
    line.text(finding.kind).text(finding.leaf).number(finding.rank.value_or(-1));
    json.literal({}, line.number(finding.gainLow.value_or(-1)).text(finding.title.substr(0, 200)).take());
  }
  json.endArray();
  json.endObject();
  return json.take();
}

// Reads what textWith writes; a wrong type anywhere is a problem of the whole file.
class Reader {
 public:
  explicit Reader(dom::object root) : m_root(root) {}

  [[nodiscard]] const std::string& problem() const { return m_problem; }

  std::string text(std::string_view key) {
    std::string_view value;
    if (m_root[key].get(value) != simdjson::SUCCESS) wrong(key);
    return std::string(value);
  }
  std::string textOrNothing(std::string_view key) {
    std::string_view value;
    return m_root[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
  }
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high) {
    std::int64_t value = low;
    if (m_root[key].get(value) != simdjson::SUCCESS || value < low || value > high) {
      wrong(key);
      return low;
    }
    return value;
  }
  std::optional<std::int64_t> maybe(std::string_view key) {
    std::int64_t value = 0;
    if (m_root[key].get(value) != simdjson::SUCCESS) return std::nullopt;
    return value;
  }
  // Calls visit(cells) for each row of so many cells.
  template <class Visit> void rows(std::string_view key, std::size_t cells, Visit&& visit) {
    dom::array list;
    if (m_root[key].get(list) != simdjson::SUCCESS) return wrong(key);
    for (const dom::element entry : list) {
      dom::array row;
      if (entry.get(row) != simdjson::SUCCESS || row.size() != cells) return wrong(key);
      visit(row);
    }
  }
  double number(const dom::element& cell) {
    double value = 0;
    if (cell.get(value) != simdjson::SUCCESS || !std::isfinite(value) || std::abs(value) > 1e18) {
      wrong("a number");
      return 0;
    }
    return value;
  }
  std::string cellText(const dom::element& cell) {
    std::string_view value;
    if (cell.get(value) != simdjson::SUCCESS) wrong("a text");
    return std::string(value);
  }
  std::vector<double> numbers(const dom::element& cell) {
    dom::array list;
    std::vector<double> values;
    if (cell.get(list) != simdjson::SUCCESS) {
      wrong("a list");
      return values;
    }
    values.reserve(list.size());
    for (const dom::element value : list) values.push_back(number(value));
    return values;
  }
  dom::element member(std::string_view key) {
    dom::element value;
    if (m_root[key].get(value) != simdjson::SUCCESS) wrong(key);
    return value;
  }
  void wrong(std::string_view what) {
    if (m_problem.empty()) m_problem = fmt::format("not a baseline: {} is missing or wrong", what);
  }

 private:
  dom::object m_root;
  std::string m_problem;
};

// Whole numbers of a row, within bounds.
template <class Number> Number wholeOf(Reader& reader, const dom::element& cell, double low, double high) {
  const double value = reader.number(cell);
  if (value < low || value > high) reader.wrong("a number");
  return static_cast<Number>(std::clamp(value, low, high));
}

void readIdentity(Reader& reader, SideIdentity& identity) {
  identity.job = reader.text("job");
  const std::vector<double> ranks = reader.numbers(reader.member("rank_numbers"));
  identity.ranks.reserve(ranks.size());
  for (const double rank : ranks) identity.ranks.push_back(static_cast<int>(std::clamp(rank, 0.0, 1e9)));
  identity.worldSize = reader.maybe("world_size");
  identity.cycles = static_cast<std::size_t>(reader.integer("captures", 0, 1'000'000'000));
  identity.equalCycles = reader.integer("equal_captures", 0, 1) != 0;
  identity.devices = reader.text("device");
  identity.hosts = reader.text("hosts");
  identity.backend = reader.text("backend");
  identity.ncclVersion = reader.textOrNothing("nccl"); // files of older versions do not have these
  identity.runtimeVersion = reader.textOrNothing("runtime");
  identity.driverVersion = reader.textOrNothing("driver");
  identity.found = static_cast<StepSource>(reader.integer("found", 0, 3));
  identity.deviceEvents =
      static_cast<std::size_t>(reader.integer("device_events", 0, std::numeric_limits<std::int64_t>::max()));
  identity.hasDevices = reader.integer("has_devices", 0, 1) != 0;
  identity.shapes = static_cast<Recorded>(reader.integer("shapes", 0, 2));
  identity.stacks = static_cast<Recorded>(reader.integer("stacks", 0, 2));
  identity.memory = static_cast<Recorded>(reader.integer("memory", 0, 2));
  identity.peakAllocatedBytes = reader.maybe("peak_allocated_bytes");
  identity.notes.emplace_back("a baseline file, which has its largest rows only");
}

void readSamples(Reader& reader, SideFacts& side) {
  std::vector<std::size_t> slots;
  dom::array names;
  if (reader.member("leaves").get(names) != simdjson::SUCCESS) return reader.wrong("leaves");
  for (const dom::element name : names) {
    const auto slot = slotOfKey(reader.cellText(name));
    if (!slot) return reader.wrong("a leaf");
    slots.push_back(*slot);
  }
  const std::vector<double> means = reader.numbers(reader.member("mean_leaves_ns"));
  std::size_t position = 0;
  reader.rows("samples", 10, [&](const dom::array& row) {
    SideSample sample;
    sample.cycle = wholeOf<std::size_t>(reader, row.at(0), 0, 1e9);
    sample.number = wholeOf<std::int64_t>(reader, row.at(1), -9.3e18, 9.2e18);
    sample.status = static_cast<StepStatus>(wholeOf<int>(reader, row.at(2), 0, 3));
    sample.ranks = wholeOf<std::size_t>(reader, row.at(3), 1, 1e9);
    sample.duration = reader.number(row.at(4));
    for (std::size_t i = 0; i < kTimeClassCount; ++i) sample.classes[i] = reader.number(row.at(5 + i));
    const std::vector<double> own = reader.numbers(row.at(9));
    const std::vector<double>& values = own.empty() ? means : own;
    if (values.size() != slots.size()) return reader.wrong("leaves");
    for (std::size_t i = 0; i < slots.size(); ++i) sample.leaves[slots[i]] = values[i];
    if (sample.kept()) sample.position = ++position;
    side.samples.push_back(sample);
  });
}

void readRows(Reader& reader, SideFacts& side) {
  const auto number = [&](const dom::array& row, std::size_t at) { return reader.number(row.at(at)); };
  const auto text = [&](const dom::array& row, std::size_t at) { return reader.cellText(row.at(at)); };
  reader.rows("operators", 8, [&](const dom::array& row) {
    side.operators.push_back({text(row, 0),
                              text(row, 1),
                              text(row, 2),
                              text(row, 3),
                              number(row, 4),
                              number(row, 5),
                              number(row, 6),
                              number(row, 7),
                              {}});
  });
  reader.rows("kernels", 6, [&](const dom::array& row) {
    side.kernels.push_back({text(row, 0),
                            text(row, 1),
                            number(row, 2) != 0,
                            number(row, 3),
                            number(row, 4),
                            number(row, 5),
                            {},
                            {}});
  });
  reader.rows("modules", 5, [&](const dom::array& row) {
    side.modules.push_back({text(row, 0), number(row, 1), number(row, 2), number(row, 3), number(row, 4)});
  });
  reader.rows("collectives", 9, [&](const dom::array& row) {
    SideCollective& one = side.collectives.emplace_back();
    static_cast<CollectiveTimes&>(one) = {number(row, 3), number(row, 4), number(row, 5),
                                          number(row, 6), number(row, 7), number(row, 8)};
    one.group = text(row, 0);
    one.operation = text(row, 1);
    one.bytes = wholeOf<std::int64_t>(reader, row.at(2), -1, 9e18);
  });
  reader.rows("ranks", 4, [&](const dom::array& row) {
    side.ranks.push_back(
        {wholeOf<int>(reader, row.at(0), 0, 1e9), number(row, 1), number(row, 2), number(row, 3)});
  });
  reader.rows("findings", 5, [&](const dom::array& row) {
    SideFinding finding;
    finding.kind = text(row, 0);
    finding.leaf = text(row, 1);
    if (number(row, 2) >= 0) finding.rank = wholeOf<int>(reader, row.at(2), 0, 1e9);
    if (number(row, 3) >= 0) finding.gainLow = number(row, 3);
    finding.title = text(row, 4);
    side.findings.push_back(std::move(finding));
  });
}

} // namespace

std::string baselineText(const SideFacts& side) {
  Extent extent;
  for (;;) {
    std::string text = textWith(side, extent);
    if (text.size() < kMaxBaselineBytes || (extent.rows == 0 && !extent.leavesOfSamples)) return text;
    // Rows go before the leaves of single steps, which the intervals of the waterfall need.
    if (extent.rows > 25 || !extent.leavesOfSamples)
      extent.rows /= 2;
    else
      extent.leavesOfSamples = false;
  }
}

Result<SideFacts> baselineFrom(std::string_view text, const std::string& path) {
  dom::parser parser;
  dom::object root;
  const auto parsed = parser.parse(text.data(), text.size()).get(root);
  if (parsed != simdjson::SUCCESS)
    return Error{ErrorKind::Format, "not a baseline: not a JSON object", path, std::nullopt};
  Reader reader(root);
  SideFacts side;
  side.fromBaseline = true;
  if (reader.integer("schema", 0, 1'000'000) != 1) reader.wrong("schema");
  side.areSteps = reader.integer("are_steps", 0, 1) != 0;
  if (reader.problem().empty()) readIdentity(reader, side.identity);
  if (reader.problem().empty()) readSamples(reader, side);
  if (reader.problem().empty()) readRows(reader, side);
  if (!reader.problem().empty()) return Error{ErrorKind::Format, reader.problem(), path, std::nullopt};
  return side;
}

} // namespace rankscope
