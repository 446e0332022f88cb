// SPDX-License-Identifier: GPL-3.0-or-later
// The rounds in which the processes of a digest answer what results of the job ask about single events.
#pragma once

#include "app/digest_work.h"

namespace rankscope {

// Each process answers about its own ranks; what another one has to answer first is known in the next round.
// False if a digest is damaged.
[[nodiscard]] bool answerQuestions(DigestWork& work);

} // namespace rankscope
