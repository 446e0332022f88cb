// SPDX-License-Identifier: GPL-3.0-or-later
// The HTML report. Covers core/report/graph_charts, too.
#include "core/report/html_report.h"

#include "core/analysis/job/scope.h"
#include "core/io/load/trace_loader.h"
#include "core/report/findings_table.h"
#include "core/report/graph_charts.h"
#include "core/report/report_charts.h"
#include "core/report/summary_parts.h"
#include "core/report/timeline_drawing.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

// One kernel a step whose name is markup.
std::shared_ptr<const TraceSet> hostileJob(int kernels) {
  HandMadeRank rank;
  rank.annotation(1000 * kUs, 200 * kUs, "ProfilerStep#7");
  for (int i = 0; i < kernels; ++i)
    rank.device(EventKind::Kernel, 7, (1010 + i) * kUs, kUs / 2,
                "=<img src=x onerror=alert(1)>" + std::to_string(i));
  HandMadeJob job;
  job.add(0, std::move(rank));
  return job.build();
}

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(HtmlReport, TextIsNeverMarkup) {
  EXPECT_EQ(htmlText("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(htmlText("x\n\x01y\x7f"), "x  y ");
  EXPECT_EQ(htmlText("\xff"), "\xef\xbf\xbd");
  const JobReport report(std::make_shared<const Analysis>(hostileJob(3)));
  const std::array pictures{ReportPicture{"<b>chart</b>", "", "image/png", "AAAA"}};
  const std::string html = htmlReport(report, pictures, {.scope = "<i>part</i>"});
  EXPECT_EQ(html.find("<img src=x"), std::string::npos);
  EXPECT_EQ(html.find("<b>chart"), std::string::npos);
  EXPECT_EQ(html.find("<i>part"), std::string::npos);
  EXPECT_NE(html.find("&lt;img src=x onerror=alert(1)&gt;0"), std::string::npos);
  EXPECT_NE(html.find("src=\"data:image/png;base64,AAAA\""), std::string::npos);
}

TEST(HtmlReport, LongWordsOfCardsEndALineBehindASeparator) {
  EXPECT_EQ(htmlNarrowText("3.2 ms/step"), "3.2\u00a0ms/step");
  EXPECT_EQ(htmlNarrowText("no ProfilerActivity.CPU & more"),
            "no <span class=\"word\">ProfilerActivity.<wbr>CPU</span> &amp; more");
  EXPECT_EQ(htmlNarrowText("a__b<c>_d.e/f_/gh:i"),
            "<span class=\"word\">a__<wbr>b&lt;c&gt;_<wbr>d.<wbr>e/<wbr>f_/<wbr>gh:<wbr>i</span>");
}

TEST(HtmlReport, FiguresAndTheirUnitsStayOnOneLine) {
  EXPECT_EQ(htmlProse("47 177 events & 22.8 GB/s"), "47\u00a0177 events &amp; 22.8\u00a0GB/s");
  EXPECT_EQ(htmlNarrowText("247 µs/step"), "247\u00a0µs/step");
  const JobReport report(std::make_shared<const Analysis>(hostileJob(1)));
  // Commands are copied as they are.
  HtmlReportOptions options;
  options.commands.arguments = {"/data/run 3 MB"};
  EXPECT_NE(htmlReport(report, {}, options).find("/data/run 3 MB"), std::string::npos);
}

TEST(HtmlReport, NothingInItComesFromElsewhereOrRuns) {
  const JobReport report(std::make_shared<const Analysis>(hostileJob(1)));
  const std::string html = htmlReport(report, {}, {});
  for (const std::string_view word : {"<script", "http:", "https:", "url(", "@import", "<link", "<iframe"})
    EXPECT_EQ(html.find(word), std::string::npos) << word;
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
}

TEST(HtmlReport, ItHasThePathTheScenariosAndTheSlowdown) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.straggler = {1, 4'000'000, 0, test::StragglerKind::Compute};
  test::generateJob(options, folder.path());
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_TRUE(loaded.ok());
  const JobReport report(std::make_shared<const Analysis>(*loaded));
  const std::string html = htmlReport(report, {}, {});
  for (const std::string_view title :
       {"Critical path by category", "Critical path by rank", "What if", "Slowdown by rank",
        "Slowest rank as its peers", "<h2>Critical path</h2>"})
    EXPECT_NE(html.find(title), std::string::npos) << title;
  // The slow rank is the first of the slowdown.
  const std::vector<ReportChart> charts = graphCharts(report);
  ASSERT_EQ(charts.size(), 4U);
  EXPECT_LT(charts.back().svg.find("Rank 1<"), charts.back().svg.find("Rank 0<"));
  EXPECT_NE(charts.back().caption.find("% longer"), std::string::npos);
}

// The window draws titles into its pictures, a page must not repeat them. Its own charts are drawn for wide
// and for narrow pages.
// Steps of all ranks take equally long, because they wait for the slow one.
TEST(HtmlReport, TheRanksOfALargeJobIncludeTheOneThatFindingsName) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 64;
  options.steps = 3;
  options.layers = 1;
  options.straggler = {57, 3'000'000, 0, test::StragglerKind::Compute};
  generateJob(options, folder.path());
  Progress progress;
  const auto job = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_TRUE(job.ok());
  const JobReport report(std::make_shared<const Analysis>(*job));
  const std::vector<ReportChart> charts = reportCharts(report);
  const auto ranks = std::ranges::find(charts, "Ranks", &ReportChart::title);
  ASSERT_NE(ranks, charts.end());
  EXPECT_NE(ranks->caption.find("48 of 64 ranks"), std::string::npos) << ranks->caption;
  EXPECT_NE(ranks->svg.find(">rank 57<"), std::string::npos);
}

TEST(HtmlReport, ChartsHaveOneTitleAndTextsThatCanBeReadOnNarrowPages) {
  const JobReport report(std::make_shared<const Analysis>(hostileJob(3)));
  const std::array pictures{ReportPicture{"Chart of the window", "", "image/png", "AAAA"}};
  EXPECT_EQ(occurrences(htmlReport(report, pictures, {}), "Chart of the window"), 1U) << "as its alternative";
  const std::string html = htmlReport(report, {}, {});
  EXPECT_GT(occurrences(html, "<div class=\"chart wide\">"), 0U);
  EXPECT_EQ(occurrences(html, "<div class=\"chart wide\">"),
            occurrences(html, "<div class=\"chart narrow\">"));
  EXPECT_GT(occurrences(html, "<svg viewBox=\"0 0 640 "), 0U);
}

// A refusal takes lines, as it cannot be read behind an ellipsis.
TEST(HtmlReport, WhatIfIsReadInFullOnNarrowPages) {
  HandMadeRank rank;
  rank.annotation(0, 400 * kUs, "ProfilerStep#7").op(10 * kUs, 20 * kUs, "aten::mm");
  rank.runtime(12 * kUs, 5 * kUs, "cudaLaunchKernel", 1);
  rank.device(EventKind::Kernel, 7, 40 * kUs, 200 * kUs, "gemm", {.correlation = 1});
  HandMadeJob job;
  job.add(0, std::move(rank));
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const std::vector<ReportChart> charts = graphCharts(report);
  const auto whatIf = std::ranges::find(charts, "What if", &ReportChart::title);
  ASSERT_NE(whatIf, charts.end());
  EXPECT_NE(whatIf->narrow.find(" · gain "), std::string::npos) << whatIf->narrow;
  EXPECT_NE(whatIf->narrow.find("refused: "), std::string::npos) << whatIf->narrow;
  EXPECT_EQ(whatIf->narrow.find("\u2026"), std::string::npos) << whatIf->narrow;
}

// Findings and tables that know only the whole recording say so.
TEST(HtmlReport, OfARangeTellsWhatIsOfTheWholeRecording) {
  HandMadeRank rank;
  rank.annotation(0, 400 * kUs, "ProfilerStep#7");
  for (int i = 0; i < 20; ++i) rank.kernel(7, (20 + 10 * i) * kUs, 5 * kUs, "gemm");
  rank.runtime(2 * kUs, 5 * kUs, "cudaLaunchKernel", 1);
  rank.device(EventKind::Kernel, 7, 10 * kUs, 5 * kUs, "gemm", {.correlation = 1});
  HandMadeJob job;
  job.add(0, std::move(rank));
  const auto whole = std::make_shared<const Analysis>(job.build());
  const auto part =
      std::make_shared<const Analysis>(*whole, scopeOfRange(*whole, {JobTime(50 * kUs), JobTime(90 * kUs)}));
  const std::string html = htmlReport(JobReport(part), {}, {});
  EXPECT_NE(html.find("Missing launches in the whole recording: 20 of 21"), std::string::npos);
  EXPECT_NE(html.find("Range from ideal to measured"), std::string::npos);
  EXPECT_NE(html.find("in the whole recordings"), std::string::npos);
  EXPECT_NE(html.find(costsNote(*part)), std::string::npos);
  EXPECT_EQ(costsNote(*whole), "");
  const std::string ofAll = htmlReport(JobReport(whole), {}, {});
  EXPECT_NE(ofAll.find("Missing launches: 20"), std::string::npos);
  EXPECT_EQ(ofAll.find("whole recording"), std::string::npos);
  EXPECT_NE(ofAll.find("Other times are totals of the recording"), std::string::npos);
}

TEST(HtmlReport, CapturesFarApartAreNotOneLongRecording) {
  const auto capture = [](TimeNs begin) {
    HandMadeRank rank;
    rank.annotation(begin, 200 * kUs, "ProfilerStep#7");
    return rank;
  };
  HandMadeJob job;
  job.add(0, capture(0));
  job.add(1, capture(100'000 * kMs));
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  EXPECT_EQ(recordedText(report.analysis()), "400 µs recorded within 100 s");
  EXPECT_NE(htmlReport(report, {}, {}).find("recorded within"), std::string::npos);
}

// A kernel of the step runs on behind its annotation on the host.
TEST(HtmlReport, TheTimelineTellsStepsOfTheGpuFromThoseOfTheHost) {
  HandMadeRank rank;
  rank.annotation(0, 400 * kUs, "ProfilerStep#7");
  rank.runtime(300 * kUs, 5 * kUs, "cudaLaunchKernel", 1);
  rank.device(EventKind::Kernel, 7, 390 * kUs, 200 * kUs, "gemm", {.correlation = 1});
  HandMadeJob job;
  job.add(0, std::move(rank));
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const auto drawing = timelineDrawing(report, nullptr);
  ASSERT_TRUE(drawing);
  EXPECT_NE(drawing->svg.find(">step 7 on the GPU<"), std::string::npos) << drawing->svg;
}

TEST(HtmlReport, HeadsHaveTitlesDefinitionsAndUnits) {
  const JobReport report(std::make_shared<const Analysis>(hostileJob(3)));
  const std::string html = htmlReport(report, {}, {});
  EXPECT_NE(html.find(">GPU busy</th>"), std::string::npos);
  EXPECT_NE(html.find("title=\"sum of durations over all streams. Unit: time; µs in exports\""),
            std::string::npos);
  EXPECT_EQ(html.find("<th>"), std::string::npos) << "a head without a definition";
  EXPECT_EQ(html.find("_us</th>"), std::string::npos);
}

TEST(HtmlReport, LongTablesSayHowManyRowsAreNotShown) {
  const JobReport report(std::make_shared<const Analysis>(hostileJob(9)));
  const std::string html = htmlReport(report, {}, {.maxRows = 4});
  EXPECT_NE(html.find("The first 4 of 9 rows."), std::string::npos);
  const std::size_t kernels = html.find("<h2>Kernels</h2>");
  const std::size_t next = html.find("<h2>", kernels + 1);
  ASSERT_NE(kernels, std::string::npos);
  EXPECT_EQ(occurrences(html.substr(kernels, next - kernels), "<tr>"), 5U); // with the titles
}

} // namespace
} // namespace rankscope
