// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/track_kind.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(TrackKind, ofDeviceActivityIsAStreamAndNothingElseIs) {
  for (int i = 0; i < kEventKindCount; ++i) {
    const auto kind = static_cast<EventKind>(i);
    EXPECT_EQ(trackKindOf(kind) == TrackKind::Stream, isDeviceActivity(kind)) << kindText(kind);
  }
}

TEST(TrackKind, ofAThreadsCallsIsTheThreadAndOfTheRestItsOwn) {
  for (const EventKind kind :
       {EventKind::CpuOp, EventKind::HostCollective, EventKind::Runtime, EventKind::Other})
    EXPECT_EQ(trackKindOf(kind), TrackKind::Thread) << kindText(kind);
  EXPECT_EQ(trackKindOf(EventKind::Annotation), TrackKind::Annotations);
  EXPECT_EQ(trackKindOf(EventKind::GpuAnnotation), TrackKind::GpuAnnotations);
  EXPECT_EQ(trackKindOf(EventKind::Python), TrackKind::Python);
  EXPECT_EQ(trackKindOf(EventKind::Sync), TrackKind::Sync);
  EXPECT_EQ(trackKindOf(EventKind::Overhead), TrackKind::Overhead);
  EXPECT_EQ(trackKindOf(EventKind::Instant), TrackKind::Instants);
  EXPECT_EQ(trackKindOf(EventKind::Span), TrackKind::Other);
}

} // namespace rankscope
