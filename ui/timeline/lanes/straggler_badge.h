// SPDX-License-Identifier: GPL-3.0-or-later
// What the header of a rank says where it is a straggler. UI thread.
#pragma once

#include "core/analysis/findings/gain.h"
#include "ui/timeline/lanes/lane_facts.h"
#include "ui/timeline/lanes/lane_header.h"

#include <QRect>
#include <QString>
#include <QStringList>

namespace rankscope::ui {

// What a step gains without it, and as a figure what the others waited: not all of that is won.
[[nodiscard]] QString stragglerText(const LaneFacts& facts, const StragglerNote& note);

// What the badge says, from the longest text on.
[[nodiscard]] QStringList stragglerBadges(const Gain& gain);

// Draws the mark at the left of the header, in `room` the badge with the gain per step as far as that fits,
// and behind it as many of the texts, from the first one on, as are whole.
void paintStraggler(HeaderPicture& picture, const Gain& gain, const QRect& header, const QRect& room,
                    const QStringList& beside = {});

} // namespace rankscope::ui
