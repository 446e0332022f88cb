// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/shown_paths.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(ShownPaths, FilesOfTheCacheAreShownWhereTheyComeFrom) {
  showPathAs("/cache/k1/files", "/data/job.tar");
  showPathAs("/cache/k2/files", "/cache/k1/files/rank3.tar.gz"); // an archive in it
  showPathAs("/cache/k3/files", "/data/rank4.json.zst");
  showPathAs("/cache/k3/files/rank4.json", "/data/rank4.json.zst");
  EXPECT_EQ(shownPath("/cache/k1/files/node0/rank0.json"), "/data/job.tar/node0/rank0.json");
  EXPECT_EQ(shownPath("/cache/k2/files/rank3.json"), "/data/job.tar/rank3.tar.gz/rank3.json");
  EXPECT_EQ(shownPath("/cache/k3/files/rank4.json"), "/data/rank4.json.zst");
  EXPECT_EQ(shownPath("/cache/k1/filesystem"), "/cache/k1/filesystem");
  EXPECT_EQ(shownPath("/data/other.json"), "/data/other.json");
  EXPECT_EQ(withShownPaths("/cache/k1/files/a.json: the same recording as /cache/k2/files/b.json; "
                           "/cache/k1/filesystem stays, /cache/k1/files"),
            "/data/job.tar/a.json: the same recording as /data/job.tar/rank3.tar.gz/b.json; "
            "/cache/k1/filesystem stays, /data/job.tar");
}

} // namespace rankscope
