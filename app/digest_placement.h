// SPDX-License-Identifier: GPL-3.0-or-later
// The first process of a digest decides which rank of the job each recording is, from what recordings say
// without their events.
#pragma once

#include "app/digest_files.h"
#include "app/digest_load.h"
#include "app/digest_options.h"
#include "app/digest_work.h"

namespace rankscope {

// Places the files that each process has loaded: PlacedRecording, and at the first process the ranks of the
// job without their images, and its files. False if there is no rank.
[[nodiscard]] bool placeRecordings(const DigestOptions& options, const JobFiles& files,
                                   const LoadedFiles& loaded, DigestWork& work);

} // namespace rankscope
