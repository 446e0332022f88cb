// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/trace_facts.h"

#include <cmath>
#include <simdjson.h>
#include <stdexcept>
#include <zlib.h>

namespace rankscope::test {
namespace {

using simdjson::ondemand::object;
using simdjson::ondemand::value;

// A scalar as text: strings without quotes, numbers as written.
std::string textOf(value v) {
  if (v.type() == simdjson::ondemand::json_type::string) return std::string(v.get_string().value());
  std::string_view token = v.raw_json_token();
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n')) token.remove_suffix(1);
  return std::string(token);
}

// Converts decimal microseconds to nanoseconds exactly; more than three decimals are an error.
std::int64_t nanosecondsOf(const std::string& token) {
  const std::size_t point = token.find('.');
  std::string digits = token.substr(0, point);
  std::string fraction = point == std::string::npos ? "" : token.substr(point + 1);
  if (fraction.size() > 3) throw std::runtime_error("a time finer than a nanosecond: " + token);
  fraction.resize(3, '0');
  std::size_t used = 0;
  digits += fraction;
  const std::int64_t ns = std::stoll(digits, &used);
  if (used != digits.size()) throw std::runtime_error("not a time: " + token);
  return ns;
}

void readThree(value v, std::array<std::int64_t, 3>& to) {
  std::size_t i = 0;
  for (auto of : v.get_array()) {
    if (i < to.size()) to[i++] = of.get_int64();
  }
}

// Arguments of collectives, of kernels and of synchronization.
void readMore(std::string_view key, value v, ReadEvent& e) {
  const auto number = [&](std::int64_t& to) { to = v.get_int64(); };
  if (key == "Input Dims")
    e.dims = std::string(std::string_view(simdjson::to_json_string(v)));
  else if (key == "Collective name")
    e.collective = textOf(v);
  else if (key == "dtype")
    e.dtype = textOf(v);
  else if (key == "Process Group Name")
    e.groupName = textOf(v);
  else if (key == "Process Group Ranks")
    e.groupRanks = textOf(v);
  else if (key == "In msg nelems")
    number(e.inElements);
  else if (key == "Out msg nelems")
    number(e.outElements);
  else if (key == "Dst Rank" || key == "Src Rank")
    number(e.peer);
  else if (key == "grid")
    readThree(v, e.grid);
  else if (key == "block")
    readThree(v, e.block);
  else if (key == "registers per thread")
    number(e.registers);
  else if (key == "shared memory")
    number(e.sharedBytes);
  else if (key == "stream")
    number(e.stream);
  else if (key == "wait_on_stream")
    number(e.waitedStream);
  else if (key == "wait_on_cuda_event_record_corr_id")
    number(e.recordCorrelation);
  else if (key == "wait_on_cuda_event_id")
    number(e.waitedEvent);
}

void readArgs(object args, ReadEvent& e) {
  for (auto field : args) {
    const std::string_view key = field.unescaped_key();
    if (key == "correlation")
      e.correlation = field.value().get_int64();
    else if (key == "Sequence number")
      e.sequence = field.value().get_int64();
    else if (key == "bytes" || key == "Bytes")
      e.bytes = field.value().get_int64();
    else if (key == "Device Type")
      e.deviceType = field.value().get_int64();
    else if (key == "Total Allocated")
      e.allocated = field.value().get_int64();
    else
      readMore(key, field.value(), e);
  }
}

ReadEvent eventOf(object o) {
  ReadEvent e;
  std::int64_t duration = 0;
  for (auto field : o) {
    const std::string key(std::string_view(field.unescaped_key()));
    value v = field.value();
    if (key == "ph")
      e.phase = textOf(v);
    else if (key == "cat")
      e.category = textOf(v);
    else if (key == "name")
      e.name = textOf(v);
    else if (key == "pid")
      e.process = textOf(v);
    else if (key == "tid")
      e.thread = textOf(v);
    else if (key == "ts")
      e.begin = nanosecondsOf(textOf(v));
    else if (key == "dur")
      duration = nanosecondsOf(textOf(v));
    else if (key == "args")
      readArgs(v.get_object(), e);
  }
  e.end = e.begin + duration;
  return e;
}

void readEvents(simdjson::ondemand::array events, std::vector<ReadEvent>& list) {
  for (auto e : events) list.push_back(eventOf(e.get_object()));
}

} // namespace

std::string readText(const std::filesystem::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::string text;
  char block[1 << 16];
  int got = 0;
  while ((got = gzread(file, block, sizeof block)) > 0) text.append(block, static_cast<std::size_t>(got));
  gzclose(file);
  if (got < 0) throw std::runtime_error("damaged " + path.string());
  return text;
}

bool isStrictJson(const std::string& text) {
  simdjson::dom::parser parser;
  return parser.parse(text).error() == simdjson::SUCCESS;
}

std::vector<ReadEvent> readStrictly(const std::filesystem::path& path) {
  const std::string text = readText(path);
  // The on-demand parser only validates what it visits, so validate the whole text first.
  if (!isStrictJson(text)) throw std::runtime_error("not JSON: " + path.string());
  const simdjson::padded_string padded(text);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document = parser.iterate(padded);
  std::vector<ReadEvent> list;
  std::int64_t base = 0;
  if (document.type() == simdjson::ondemand::json_type::array) {
    readEvents(document.get_array(), list);
    return list;
  }
  for (auto field : document.get_object()) {
    const std::string key(std::string_view(field.unescaped_key()));
    if (key == "traceEvents")
      readEvents(field.value().get_array(), list);
    else if (key == "baseTimeNanoseconds")
      base = field.value().get_int64();
  }
  for (ReadEvent& e : list) e.begin += base, e.end += base;
  return list;
}

ReadOrigin readOrigin(const std::filesystem::path& path) {
  simdjson::dom::parser parser;
  const simdjson::dom::element root = parser.parse(readText(path));
  ReadOrigin origin;
  if (!root.is_object()) return origin;
  std::string_view host;
  if (root["host_name"].get(host) == simdjson::SUCCESS) origin.host = host;
  if (root["distributedInfo"]["rank"].get(origin.rank) != simdjson::SUCCESS) origin.rank = -1;
  simdjson::dom::array devices;
  if (root["deviceProperties"].get(devices) != simdjson::SUCCESS) return origin;
  for (const simdjson::dom::element of : devices) {
    const auto number = [&](const char* key) {
      std::int64_t found = 0;
      return of[key].get(found) == simdjson::SUCCESS ? found : 0;
    };
    std::string_view name;
    if (of["name"].get(name) != simdjson::SUCCESS) name = {};
    origin.devices.push_back({number("id"), std::string(name), number("totalGlobalMem"), number("numSms"),
                              number("computeMajor"), number("computeMinor"), number("regsPerMultiprocessor"),
                              number("sharedMemPerMultiprocessor"), number("maxThreadsPerMultiprocessor")});
  }
  return origin;
}

std::vector<PlainEvent> readPlainly(const std::filesystem::path& path) {
  simdjson::dom::parser parser;
  const simdjson::dom::element root = parser.parse(readText(path));
  std::int64_t base = 0;
  simdjson::dom::element list = root;
  if (root.is_object()) {
    list = root["traceEvents"];
    if (root["baseTimeNanoseconds"].get(base) != simdjson::SUCCESS) base = 0;
  }
  const auto nanoseconds = [](const simdjson::dom::element& event, const char* key) -> std::int64_t {
    double microseconds = 0;
    return event[key].get(microseconds) == simdjson::SUCCESS ? std::llround(microseconds * 1000) : 0;
  };
  std::vector<PlainEvent> events;
  for (const simdjson::dom::element event : list.get_array()) {
    PlainEvent& plain = events.emplace_back();
    plain.phase = std::string_view(event["ph"]);
    plain.text = simdjson::minify(event);
    plain.begin = base + nanoseconds(event, "ts");
    plain.end = plain.begin + nanoseconds(event, "dur");
  }
  return events;
}

} // namespace rankscope::test
