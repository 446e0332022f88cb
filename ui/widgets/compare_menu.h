// SPDX-License-Identifier: GPL-3.0-or-later
// Entries of a context menu that make what was clicked a side of a comparison. UI thread.
#pragma once

#include "core/base/strong_index.h"
#include "ui/job/compared_parts.h"

#include <vector>

class QMenu;

namespace rankscope::ui {

// part: what the menu is about. others: of its kind, offered to compare it with at once; the first ones where
// there are many. Any two parts can be compared by making one of them side A first.
void addCompareEntries(QMenu& menu, TraceSession& session, const JobPart& part,
                       const std::vector<JobPart>& others);

// The rank and its host, with the other ranks and hosts of the job; nothing of a job of one rank.
void addCompareEntriesOfRank(QMenu& menu, TraceSession& session, RankIndex rank);

} // namespace rankscope::ui
