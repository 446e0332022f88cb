// SPDX-License-Identifier: GPL-3.0-or-later
// What people read for the ids in tables of the compare tab. Each gives the id itself where it knows none.
#pragma once

#include <QString>

namespace rankscope::ui {

// Of `matched_by`: "only_a" reads "only in A".
[[nodiscard]] QString matchWords(const QString& id);
// Of `class`: "exposed_communication" reads "Exposed communication".
[[nodiscard]] QString categoryTitle(const QString& id);
// Of `leaf`: "host.input" reads "DataLoader".
[[nodiscard]] QString causeTitle(const QString& id);
// "exposed_wait_us" reads "Exposed wait, µs".
[[nodiscard]] QString figureTitle(const QString& name);
// As the Parallelism tab titles its tables.
[[nodiscard]] QString layoutTableTitle(const QString& id);
// Of `kind`: "dataloader_stall" reads as in the list of checks.
[[nodiscard]] QString findingKindWords(const QString& id);

} // namespace rankscope::ui
