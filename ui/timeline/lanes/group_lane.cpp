// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/group_lane.h"

#include "ui/timeline/lanes/lane_header.h"
#include "ui/timeline/lanes/lane_picture.h"

#include <algorithm>

namespace rankscope::ui {
namespace {

class GroupLanes : public LaneKind {
 public:
  GroupLanes() : LaneKind({.id = "group", .shows = LaneShows::Words, .movable = false}) {}

  int height() const override { return 22; }

  void paint(LanePicture& picture, const Lane& lane) const override {
    const auto [top, bottom] = picture.linesOf(lane);
    picture.raster.fillLines(top, bottom - top, picture.theme().raised.rgb());
    picture.raster.fillLines(top, std::max(1, picture.px(1)), picture.theme().line.rgb());
  }

  void paintHeader(HeaderPicture& picture, const Section& section, const QRect& box, int) const override {
    picture.painter.fillRect(box, picture.theme.raised);
    paintLabelLine(
        picture, section,
        {kHeaderTextLeft, box.top() + 1, box.width() - kHeaderTextLeft - kHeaderRightPadding, box.height()});
  }
};

} // namespace

const LaneKind& groupLanes() {
  static const GroupLanes kind;
  return kind;
}

} // namespace rankscope::ui
