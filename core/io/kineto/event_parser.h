// SPDX-License-Identifier: GPL-3.0-or-later
// Parses a JSON object into the tokens of an event in one pass. Arguments that precede the members needed to
// interpret them are parsed in a second pass.
#pragma once

#include "core/io/json/json_walk.h"
#include "core/io/kineto/event_fields.h"

namespace rankscope {

// Parses the object at the cursor into `fields` and moves past it. False if it is not a valid object; the
// contents of `fields` are then undefined.
[[nodiscard]] bool readEventFields(JsonCursor& event, CategoryNames& categories, EventFields& fields);

} // namespace rankscope
