// SPDX-License-Identifier: GPL-3.0-or-later
// The rules behind findingsOf: each adds to the context what it finds. Limits stand beside the rule; their
// source is the catalogue in resources/help/findings.md. Private to the findings.
#pragma once

#include "core/analysis/findings/finding_context.h"

namespace rankscope {

// What a recording is good for.
struct RecordingUse {
  bool benchmark = false; // no training, few kernels: nothing of it is a cost
  bool startup = false;   // mostly start-up: what hosts and kernels cost later is not in it
};

// Edges, start-up, benchmarks, unexplained idle time: asked for before anything is advised.
[[nodiscard]] RecordingUse findRecordingFindings(FindingContext& context);

void findStragglerFindings(FindingContext& context);
void findCommunicationFindings(FindingContext& context);
void findDispatchFindings(FindingContext& context);
void findHostFindings(FindingContext& context);
void findCopyFindings(FindingContext& context);
void findComputeFindings(FindingContext& context);
void findMemoryFindings(FindingContext& context);
void findQualityFindings(FindingContext& context);

} // namespace rankscope
