// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/track_kind.h"

namespace rankscope {

TrackKind trackKindOf(EventKind kind) {
  switch (kind) {
  case EventKind::Kernel:
  case EventKind::Collective:
  case EventKind::Copy:
  case EventKind::Set:
    return TrackKind::Stream;
  case EventKind::Annotation:
    return TrackKind::Annotations;
  case EventKind::GpuAnnotation:
    return TrackKind::GpuAnnotations;
  case EventKind::Python:
    return TrackKind::Python;
  case EventKind::Sync:
    return TrackKind::Sync;
  case EventKind::Overhead:
    return TrackKind::Overhead;
  case EventKind::Instant:
    return TrackKind::Instants;
  case EventKind::Span:
    return TrackKind::Other;
  default:
    return TrackKind::Thread;
  }
}

} // namespace rankscope
