// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/json_floor.h"

#include <simdjson.h>

#include <chrono>
#include <stdexcept>

namespace rankscope::bench {

namespace {

using namespace simdjson;

void countFields(ondemand::object event, FloorPass& pass) {
  for (auto field : event) {
    const ondemand::raw_json_string key = field.key();
    for (const char* wanted : {"ph", "name", "cat", "ts", "dur", "pid", "tid"}) {
      if (key != wanted) continue;
      const ondemand::value value = field.value();
      pass.fields += ondemand::value(value).raw_json_token().size() > 0 ? 1u : 0u;
      break;
    }
  }
  ++pass.events;
}

} // namespace

FloorPass floorPass(const std::string& path, int runs) {
  const padded_string text = padded_string::load(path);
  ondemand::parser parser;
  FloorPass best;
  for (int run = 0; run < runs; ++run) {
    FloorPass pass;
    const auto begin = std::chrono::steady_clock::now();
    ondemand::document document = parser.iterate(text);
    ondemand::array events = document.type() == ondemand::json_type::array
                                 ? document.get_array().value()
                                 : document.find_field("traceEvents").get_array().value();
    for (auto event : events) countFields(event.get_object(), pass);
    pass.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (run == 0 || pass.seconds < best.seconds) best = pass;
  }
  return best;
}

} // namespace rankscope::bench
