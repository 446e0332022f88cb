// SPDX-License-Identifier: GPL-3.0-or-later
// Events that a digest keeps are those of the trace, for as long as it is the same trace.
#include "core/io/load/kept_events.h"

#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

class KeptEvents : public testing::Test {
 protected:
  void SetUp() override {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 2;
    options.layers = 1;
    test::generateJob(options, m_folder / "job");
    const auto paths = test::recordingsBelow(m_folder / "job");
    m_trace = paths[0].string();
    m_other = paths[1].string();
    m_path = keptEventsPath(m_folder / "job.digest", m_trace, "/");
    m_stamp = traceStamp(m_trace);
  }

  // After the names of the other rank, so that ids differ from those of the file.
  LoadedFile loaded(NameSequencer& names) {
    const auto one = [] { return 1U; };
    LoadContext context{{m_progress, m_queue, one, m_filter}, names, traceReaders()};
    EXPECT_TRUE(loadFile(m_other, 0, context).ok());
    auto file = loadFile(m_trace, 1, context);
    EXPECT_TRUE(file.ok());
    return std::move(file).value();
  }
  std::optional<KeptFile> opened(std::string_view stamp) {
    return openKeptEvents(m_path, stamp, m_trace, 2, m_progress);
  }

  test::TemporaryFolder m_folder;
  std::string m_trace;
  std::string m_other;
  std::string m_path;
  std::string m_stamp;
  Progress m_progress;
  WorkQueue m_queue;
  LoadFilter m_filter;
};

} // namespace

TEST_F(KeptEvents, areThoseOfTheTrace) {
  NameSequencer names(m_queue);
  const LoadedFile file = loaded(names);
  EXPECT_FALSE(opened(m_stamp)) << "nothing was kept";
  EXPECT_FALSE(isKeptEvents(m_path));
  ASSERT_FALSE(keepEvents(file, names.snapshot(), m_path, m_stamp));
  EXPECT_TRUE(isKeptEvents(m_path));
  auto kept = opened(m_stamp);
  ASSERT_TRUE(kept);
  // The same names in the same job have the same ids.
  StringInterner job;
  static_cast<void>(idsInJob(job, names.snapshot()));
  const LoadedFile again = inJob(*std::move(kept), idsInJob(job, opened(m_stamp)->names));
  EXPECT_EQ(again.format, file.format);
  EXPECT_EQ(again.textBytes, file.textBytes);
  EXPECT_EQ(again.names, file.names);
  ASSERT_EQ(again.recordings.size(), file.recordings.size());
  const RankTrace& a = *file.recordings[0].trace;
  const RankTrace& b = *again.recordings[0].trace;
  EXPECT_TRUE(std::ranges::equal(a.events.name.span(), b.events.name.span()));
  EXPECT_TRUE(std::ranges::equal(a.events.begin.span(), b.events.begin.span()));
  EXPECT_EQ(a.metadata.baseTime, b.metadata.baseTime);
  ASSERT_EQ(a.collectives.size(), b.collectives.size());
  EXPECT_GT(a.collectives.size(), 0U);
  for (std::size_t i = 0; i < a.collectives.size(); ++i)
    EXPECT_EQ(a.collectives.span()[i].groupName, b.collectives.span()[i].groupName);
  const auto fieldsOf = [](const LoadedFile& of) {
    const LoadedRecording& recording = of.recordings[0];
    return recording.details->fields(recording.trace->events.source.span()[0]);
  };
  ASSERT_TRUE(fieldsOf(again).ok());
  EXPECT_EQ(fieldsOf(again)->size(), fieldsOf(file)->size());
}

TEST_F(KeptEvents, ofAChangedTraceOrDamagedAreNotTaken) {
  NameSequencer names(m_queue);
  const LoadedFile file = loaded(names);
  ASSERT_FALSE(keepEvents(file, names.snapshot(), m_path, m_stamp));
  std::ofstream(m_trace, std::ios::app) << ' ';
  EXPECT_FALSE(opened(traceStamp(m_trace)));
  EXPECT_TRUE(opened({})) << "where the trace cannot be reached, nothing can be compared";
  std::ostringstream whole;
  whole << std::ifstream(m_path, std::ios::binary).rdbuf();
  std::string bytes = whole.str();
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(m_path, std::ios::binary | std::ios::trunc) << bytes;
  EXPECT_FALSE(opened({}));
  EXPECT_FALSE(openKeptEvents(m_trace, {}, m_trace, 1, m_progress)) << "not such a file";
}

TEST_F(KeptEvents, thatCannotBeWrittenAreAnError) {
  NameSequencer names(m_queue);
  const LoadedFile file = loaded(names);
  std::ofstream(m_folder / "file") << "x";
  EXPECT_TRUE(keepEvents(file, names.snapshot(), m_folder / "file/events/x.events", m_stamp));
}

TEST(KeptEventsPath, isOfTheTraceWhereverThatIsNamedFrom) {
  EXPECT_EQ(keptEventsPath("d", "job/rank0.json", "/data"), keptEventsPath("d", "/data/job/rank0.json", "/"));
  EXPECT_NE(keptEventsPath("d", "a:/job/rank0.json", "/"), keptEventsPath("d", "b:/job/rank0.json", "/"));
  EXPECT_TRUE(keptEventsPath("d", "x", "/").starts_with("d/events/"));
}

} // namespace rankscope
