// SPDX-License-Identifier: GPL-3.0-or-later
// What holds of every comparison, as checks for tests.
#pragma once

#include "core/analysis/compare/comparison.h"

namespace rankscope::test {

// Parts add up, on each side and between them; no row is dropped.
void expectIdentities(const Comparison& comparison);
// Of a side with itself.
void expectNothing(const Comparison& comparison);
// Exchanged sides have the same differences, negated.
void expectNegated(const Comparison& forth, const Comparison& back);

} // namespace rankscope::test
