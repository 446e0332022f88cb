// SPDX-License-Identifier: GPL-3.0-or-later
// From a JSON object to the tokens of an event, in one pass over its members. Arguments that stand before the
// members that say how to read them are read in a second one. Compiled with the instruction set that the
// parser is built for; only event_reader includes it.
#pragma once

#include "core/io/event_fields.h"

#include <simdjson.h>

namespace rankscope {

[[nodiscard]] simdjson::error_code readEventFields(simdjson::ondemand::object& object,
                                                   CategoryNames& categories, EventFields& fields);

} // namespace rankscope
