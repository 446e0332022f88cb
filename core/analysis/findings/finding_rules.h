// SPDX-License-Identifier: GPL-3.0-or-later
// The rules behind findingsOf: each adds to the context what it finds. Private to the findings.
#pragma once

#include "core/analysis/findings/finding_context.h"

namespace rankscope {

void findStragglerFindings(FindingContext& context);
void findCommunicationFindings(FindingContext& context);
void findIdleFindings(FindingContext& context);
void findKernelFindings(FindingContext& context);
void findMemoryFindings(FindingContext& context);
void findHostFindings(FindingContext& context);
void findQualityFindings(FindingContext& context);

} // namespace rankscope
