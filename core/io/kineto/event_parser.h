// SPDX-License-Identifier: GPL-3.0-or-later
// From a JSON object to the tokens of an event, in one pass over its members. Arguments that stand before the
// members that determine how to read them are read in a second one.
#pragma once

#include "core/io/json/json_walk.h"
#include "core/io/kineto/event_fields.h"

namespace rankscope {

// Fills fields again from the object at the cursor and moves past it. False when it is no object or its
// members are out of order; the fields are then of no use.
[[nodiscard]] bool readEventFields(JsonCursor& event, CategoryNames& categories, EventFields& fields);

} // namespace rankscope
