// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/json/json_walk.h"

#include <simdjson.h>

#include <algorithm>
#include <new>
#include <string>

namespace rankscope {

static_assert(JsonStructure::kPadding >= simdjson::SIMDJSON_PADDING);

// simdjson selects its implementation for the processor on first use, so one build works on all of them. The
// selection allocates and terminates the program on failure, so it is done before main.
[[maybe_unused]] const std::string& theImplementation = simdjson::get_active_implementation()->name();

struct JsonStructure::State {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
  std::size_t capacity = 0;
  const char* text = nullptr;

  [[nodiscard]] bool ensureCapacity(std::size_t length) {
    if (parser && length <= capacity) return true;
    const std::size_t wanted = std::max(length, capacity + capacity / 2);
    parser.reset();
    const auto made =
        simdjson::get_active_implementation()->create_dom_parser_implementation(wanted, 1, parser);
    if (made == simdjson::MEMALLOC) throw std::bad_alloc(); // not an error of the text
    capacity = wanted;
    return made == simdjson::SUCCESS;
  }
};

JsonStructure::JsonStructure() : m_state(std::make_unique<State>()) {}
JsonStructure::~JsonStructure() = default;
JsonStructure::JsonStructure(JsonStructure&&) noexcept = default;

bool JsonStructure::index(const char* text, std::size_t length) {
  if (!m_state->ensureCapacity(length)) return false;
  m_state->text = text;
  return m_state->parser->stage1(reinterpret_cast<const std::uint8_t*>(text), length,
                                 simdjson::stage1_mode::regular) == simdjson::SUCCESS;
}

JsonCursor JsonStructure::cursor() const {
  const std::uint32_t* first = m_state->parser->structural_indexes.get();
  return {m_state->text, first, first + m_state->parser->n_structural_indexes};
}

} // namespace rankscope
