// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nccl/nccl_tests_reader.h"

#include "core/io/nccl/nccl_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kMaxRows = 100'000;
constexpr std::size_t kMaxPartial = 400;

std::vector<std::string_view> wordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  NcclWords rest(text);
  while (words.size() < 40) {
    const std::string_view word = rest.word();
    if (word.empty()) break;
    words.push_back(word);
  }
  return words;
}

std::optional<double> decimalOf(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

bool isType(std::string_view word) {
  static constexpr std::array kTypes{"int8",     "uint8",       "int32",       "uint32", "int64",
                                     "uint64",   "half",        "float",       "double", "bfloat16",
                                     "bfloat",   "f8e4m3",      "f8e5m2",      "char",   "fp8_e4m3",
                                     "fp8_e5m2", "float8_e4m3", "float8_e5m2", "int"};
  return std::ranges::find(kTypes, word) != kTypes.end();
}

// 2(n-1)/n of AllReduce, (n-1)/n of the others that exchange: n, if it is one number within rounding.
std::optional<std::int64_t> ranksOfRatio(double factor, double error) {
  const auto ranks = [](double share) { return 1 / (1 - share); };
  const double low = ranks(factor - error);
  const double high = ranks(factor + error);
  if (!(low > 1) || !(high < 100'000) || high < low) return std::nullopt;
  const double whole = std::round((low + high) / 2);
  if (high - low < 1) return static_cast<std::int64_t>(whole);
  // Machines come in powers of two.
  std::optional<std::int64_t> found;
  for (std::int64_t n = 2; n <= 65'536; n *= 2) {
    if (static_cast<double>(n) < low || static_cast<double>(n) > high) continue;
    if (found) return std::nullopt;
    found = n;
  }
  return found;
}

// "HOST" of "... Pid   1391 on       HOST device  0 ...": short names are padded at their left.
std::string_view hostInHeader(std::string_view text) {
  constexpr std::string_view kOn = " on ";
  const std::size_t on = text.find(kOn, text.find(" Pid "));
  if (on == std::string_view::npos) return {};
  text.remove_prefix(on + kOn.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find(' '));
}

} // namespace

std::string_view withoutLauncher(std::string_view text) {
  constexpr std::size_t kMaxPrefix = 24;
  for (const std::string_view mark : {"<stdout>:", "<stderr>:"}) {
    const std::size_t at = text.substr(0, kMaxPrefix + mark.size()).find(mark);
    if (at != std::string_view::npos) return text.substr(at + mark.size());
  }
  const std::size_t colon = text.substr(0, kMaxPrefix).find(':');
  if (colon == std::string_view::npos || !launcherRankOf(text.substr(0, colon + 1))) return text;
  const std::string_view rest = text.substr(colon + 1);
  // A number without a blank after its colon is the time of day.
  return rest.empty() || rest.front() == ' ' || text[colon - 1] == ']' ? rest : text;
}

std::string operationInName(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::erase_if(lower, [](char c) { return c == '_' || c == '-' || c == ' '; });
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"reducescatter", "ReduceScatter"}, {"allreduce", "AllReduce"}, {"allgather", "AllGather"},
      {"alltoall", "AllToAll"},           {"broadcast", "Broadcast"}, {"sendrecv", "SendRecv"},
      {"reduceperf", "Reduce"},           {"gatherperf", "Gather"},   {"scatterperf", "Scatter"}};
  for (const auto& [part, operation] : kNames)
    if (lower.find(part) != std::string::npos) return std::string(operation);
  return {};
}

NcclTestsReader::NcclTestsReader(std::string path, Tell tell) : m_tell(std::move(tell)) {
  m_table.path = std::move(path);
  m_table.name = std::filesystem::path(m_table.path).filename().string();
}

void NcclTestsReader::header(std::string_view text) {
  // "#  Rank  0 Group  0 Pid   1391 on HOST device  0 [0000:41:00] NVIDIA H100 80GB HBM3"
  NcclWords words(text);
  words.skip("#");
  if (words.skip("Rank ") && words.number() && text.find(" Pid ") != std::string_view::npos) {
    const std::string_view host = hostInHeader(text);
    if (!host.empty() && m_hosts.size() < 65'536) m_hosts.insert(std::string(host));
    ++m_headerRanks;
    const std::size_t close = text.rfind(']');
    if (close != std::string_view::npos) {
      NcclWords gpu(text.substr(close + 1));
      gpu.skipBlanks();
      std::string_view name = gpu.rest();
      while (name.ends_with(' ') || name.ends_with('\r')) name.remove_suffix(1);
      m_table.gpu = std::string(name.substr(0, 80));
    }
    return;
  }
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if ((has("nThread ") && has("minBytes")) || has("Collective test starting")) beginRun();
  if (has("algbw") && has("busbw")) {
    m_hasHeader = true;
    m_hasRoot = has(" root");
    m_hasCheck = has("wrong") || has("error");
  }
  if (has("_perf") || has("Collective test")) nameOperation(text);
}

// The program is named before its table, or again after it.
void NcclTestsReader::nameOperation(std::string_view text) {
  std::string operation = operationInName(text);
  if (operation.empty()) return;
  if (!m_hasHeader)
    m_table.operation = std::move(operation);
  else if (text.find("concluded") == std::string_view::npos)
    m_nextOperation = std::move(operation);
  else if (m_table.operation.empty())
    m_table.operation = std::move(operation);
}

void NcclTestsReader::line(std::string_view text, std::uint64_t number, bool cut) {
  text = withoutLauncher(text);
  while (text.ends_with('\r') || text.ends_with('\n')) text.remove_suffix(1);
  const std::vector<std::string_view> words = wordsOf(text.substr(0, 2000));
  if (words.empty()) return;
  const bool begins = words.size() >= 3 && decimalOf(words[0]) && decimalOf(words[1]) && isType(words[2]);
  if (begins) {
    dropPartial();
    if (cut) {
      m_partial.assign(text.substr(0, kMaxPartial));
      m_partialLine = number;
      return;
    }
    return row(words, number);
  }
  // The rest of a row that a log line has cut: numbers only.
  const bool numbers = std::ranges::all_of(
      words, [](std::string_view word) { return decimalOf(word).has_value() || word == "N/A"; });
  if (!m_partial.empty() && numbers && m_partial.size() < kMaxPartial) {
    m_partial.append(" ").append(text);
    // Of the number of wrong results, the last word, only the log line's host is left.
    if (cut && words.size() == 3) m_partial.append(" 0");
    const std::string whole = m_partial;
    const std::vector<std::string_view> all = wordsOf(whole);
    if (!cut || all.size() >= timeColumn(all) + 8) {
      m_partial.clear();
      row(all, m_partialLine);
    }
    return;
  }
  header(text);
}

// size count type [redop] [root] time algbw busbw wrong, and the last four again in place.
std::size_t NcclTestsReader::timeColumn(const std::vector<std::string_view>& words) const {
  std::size_t at = 3;
  if (at < words.size() && !decimalOf(words[at])) ++at; // redop
  return m_hasRoot ? at + 1 : at;
}

void NcclTestsReader::row(const std::vector<std::string_view>& words, std::uint64_t number) {
  if (!m_hasHeader) return;
  if (m_table.rows.size() >= kMaxRows) return skip(number, "a row beyond those that are kept");
  const std::size_t at = timeColumn(words);
  // Without the column after it, the bandwidth may be cut within its digits.
  const std::size_t wrongAt = at + 3;
  if (words.size() < wrongAt + (m_hasCheck ? 1 : 0)) return skip(number, "a row of the table is cut");
  const auto numberAt = [&](std::size_t place) { return decimalOf(words[place]).value_or(-1); };
  NcclTestRow row;
  row.bytes = ncclNumber(words[0]).value_or(-1);
  row.timeUs = numberAt(at);
  row.algbwGbS = numberAt(at + 1);
  row.busbwGbS = numberAt(at + 2);
  if (!(row.timeUs > 0)) return skip(number, "a row of the table without a time above 0");
  if (row.bytes < 0 || row.algbwGbS < 0 || row.busbwGbS < 0)
    return skip(number, "a row of the table with a damaged number");
  afterBandwidth(words, wrongAt, number, row);
  m_table.rows.push_back(row);
}

// Results and the in-place half, neither of which the row needs.
void NcclTestsReader::afterBandwidth(const std::vector<std::string_view>& words, std::size_t wrongAt,
                                     std::uint64_t number, NcclTestRow& row) {
  std::int64_t wrong = 0;
  const auto addWrong = [&](std::size_t place) {
    const auto count = place < words.size() ? ncclNumber(words[place]) : std::nullopt;
    if (count && *count > 0) wrong = std::max(wrong, *count);
  };
  addWrong(wrongAt);
  const std::size_t inPlace = wrongAt + 1;
  const bool cut = words.size() > inPlace && words.size() < inPlace + (m_hasCheck ? 4 : 3);
  if (cut) {
    if (m_tell) m_tell(number, "the in-place half of a row of the table is cut");
  } else if (words.size() > inPlace) {
    const auto time = decimalOf(words[inPlace]);
    if (time && *time > 0)
      row.inPlaceUs = time;
    else if (m_tell && words[inPlace] != "N/A")
      m_tell(number, "the in-place half of a row of the table is without a time above 0");
    addWrong(inPlace + 3);
  }
  if (wrong == 0) return;
  row.wrong = true;
  ++m_wrongRows;
  if (m_tell)
    m_tell(number, "a row of the table has " + std::to_string(wrong) +
                       (wrong == 1 ? " wrong result" : " wrong results") + "; its time is used");
}

void NcclTestsReader::skip(std::uint64_t number, std::string what) {
  ++m_table.skippedRows;
  if (m_tell) m_tell(number, std::move(what));
}

void NcclTestsReader::dropPartial() {
  if (!m_partial.empty() && m_hasHeader) skip(m_partialLine, "a row of the table is cut");
  m_partial.clear();
}

// Another run may follow in the same file. What names its program may stand before its settings.
void NcclTestsReader::beginRun() {
  std::string operation = m_hasHeader ? m_nextOperation : m_table.operation;
  endTable();
  m_table.operation = std::move(operation);
}

void NcclTestsReader::endTable() {
  dropPartial();
  if (!m_table.rows.empty()) {
    if (m_table.operation.empty()) m_table.operation = operationInName(m_table.name);
    const NcclTestRow& largest = *std::ranges::max_element(m_table.rows, {}, &NcclTestRow::bytes);
    const double ratio = largest.algbwGbS > 0 ? largest.busbwGbS / largest.algbwGbS : 0;
    if (m_table.operation.empty() && ratio > 1.001) m_table.operation = "AllReduce";
    if (m_headerRanks > 0) {
      m_table.ranks = m_headerRanks;
      m_table.hosts = static_cast<std::int64_t>(m_hosts.size());
    } else if (ratio > 0) {
      // Both bandwidths are rounded to hundredths.
      const double error = ratio * (0.005 / largest.busbwGbS + 0.005 / largest.algbwGbS);
      const double half = m_table.operation == "AllReduce" ? 0.5 : 1;
      m_table.ranks = ranksOfRatio(ratio * half, error * half).value_or(-1);
    }
    m_tables.push_back(m_table);
  }
  const std::string path = m_table.path, name = m_table.name;
  m_table = NcclTestTable();
  m_table.path = path;
  m_table.name = name;
  m_hosts.clear();
  m_headerRanks = 0;
  m_hasHeader = m_hasRoot = m_hasCheck = false;
  m_nextOperation.clear();
}

std::vector<NcclTestTable> NcclTestsReader::finish() {
  // No other run follows that the name may be of.
  if (m_table.operation.empty()) m_table.operation = m_nextOperation;
  endTable();
  // Runs of one file are told apart by number.
  for (std::size_t i = 1; i < m_tables.size(); ++i) m_tables[i].name += " #" + std::to_string(i + 1);
  return std::move(m_tables);
}

} // namespace rankscope
