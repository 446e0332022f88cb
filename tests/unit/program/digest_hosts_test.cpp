// SPDX-License-Identifier: GPL-3.0-or-later
// Processes on hosts that share no folder digest what one folder with the same files gives: traces, and what
// lies beside them (app/digest_files, app/digest_beside, app/digest_logs, app/digest_placement,
// app/digest_judgement, app/digest_questions, app/digest_work, app/digest_messages).
#include "app/digest_run.h"
#include "core/export/csv.h"
#include "core/io/digest/digest_file.h"
#include "core/model/side_files.h"
#include "core/report/digest_rows.h"
#include "core/report/job_report.h"
#include "core/report/side_results.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training_snapshot.h"

#include <barrier>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::mutex toldMutex;
std::vector<std::string> told;

} // namespace

// In the program it writes to standard error.
void tell(std::string_view line) {
  const std::lock_guard lock(toldMutex);
  told.emplace_back(line);
}

namespace {

namespace fs = std::filesystem;

// What processes send, from and to each.
struct Mail {
  explicit Mail(std::size_t processes)
      : parts(processes, std::vector<std::string>(processes)),
        arrived(static_cast<std::ptrdiff_t>(processes)) {}
  std::vector<std::vector<std::string>> parts;
  std::barrier<> arrived;
};

// A thread stands for a process.
class ThreadProcess : public DigestTeam {
 public:
  ThreadProcess(Mail& mail, std::size_t index, std::string host)
      : m_mail(mail), m_index(index), m_host(std::move(host)) {}
  [[nodiscard]] std::size_t index() const override { return m_index; }
  [[nodiscard]] std::size_t size() const override { return m_mail.parts.size(); }
  [[nodiscard]] std::string host() const override { return m_host; }
  [[nodiscard]] std::vector<std::string> exchange(std::vector<std::string> parts) override {
    m_mail.parts[m_index] = std::move(parts);
    m_mail.arrived.arrive_and_wait();
    std::vector<std::string> received;
    for (auto& from : m_mail.parts) received.push_back(from[m_index]);
    m_mail.arrived.arrive_and_wait();
    return received;
  }
  void abort(int /*exitCode*/) override { std::abort(); }

 private:
  Mail& m_mail;
  std::size_t m_index;
  std::string m_host;
};

struct HostFolder {
  std::string host;
  std::string folder;
};

class DigestHosts : public testing::Test {
 protected:
  void SetUp() override {
    told.clear();
    test::JobOptions options;
    options.ranks = 4;
    options.ranksPerNode = 2;
    options.steps = 3;
    options.layers = 1;
    test::generateJob(options, m_folder / "all");
    for (const fs::path& trace : test::recordingsBelow(m_folder / "all")) {
      const std::string name = trace.filename().string();
      const bool first = name.find("rank0") != name.npos || name.find("rank1") != name.npos;
      const fs::path to = fs::path(m_folder / "job") / (first ? "a" : "b");
      fs::create_directories(to);
      fs::rename(trace, to / name);
    }
    writeBeside();
  }

  // Of each host snapshots, dumps and a log.
  void writeBeside() const {
    test::TrainingShape outOfMemory;
    outOfMemory.outOfMemory = true;
    std::ofstream(m_folder / "job/a/rank0_snapshot.pickle", std::ios::binary)
        << test::trainingSnapshot(outOfMemory);
    std::ofstream(m_folder / "job/b/rank2_snapshot.pickle", std::ios::binary)
        << test::trainingSnapshot(test::TrainingShape());
    std::ofstream(m_folder / "job/b/rank40_snapshot.pickle", std::ios::binary)
        << test::trainingSnapshot(test::TrainingShape());
    for (int rank = 0; rank < 4; ++rank) {
      const std::string folder = rank < 2 ? "job/a" : "job/b";
      const std::string called =
          R"({"record_id":5,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":5,)"
          R"("profiling_name":"nccl:all_reduce","input_sizes":[[8]],"output_sizes":[[8]],)"
          R"("state":"scheduled","time_created_ns":1700000000000000000,"retired":false,"is_p2p":false})";
      std::ofstream(m_folder / (folder + fmt::format("/nccl_trace_rank_{}.json", rank))) << fmt::format(
          R"({{"version":"2.9","pg_config":{{"0":{{"name":"0","desc":"default_pg","ranks":"[0, 1, 2, 3]"}}}},)"
          R"("pg_status":{{"0":{{"last_enqueued_collective":"{}","last_started_collective":"-1",)"
          R"("last_completed_collective":"4"}}}},"entries":[{}]}})",
          rank == 3 ? 4 : 5, rank == 3 ? "" : called);
    }
    for (const char* host : {"a", "b"})
      std::ofstream(m_folder / (std::string("job/") + host + "/nccl.log")) << fmt::format(
          "{0}:1:1 [0] NCCL INFO NCCL version 2.20.5+cuda12.4\n"
          "{0}:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Ring.\n"
          "{0}:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0\n"
          "{0}:1:1 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 64 datatype 7 op 0 "
          "root 0 comm 0x3 [nranks=2] stream 0x4\n",
          host);
  }

  // The exit codes of processes that each see one folder; with one for all of them, they share it.
  static std::vector<int> digest(const std::vector<HostFolder>& processes, bool local,
                                 const std::string& out) {
    Mail mail(processes.size());
    std::vector<int> codes(processes.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < processes.size(); ++i)
      threads.emplace_back([&, i] {
        ThreadProcess team(mail, i, processes[i].host);
        DigestOptions options;
        options.paths = {processes[i].folder};
        options.out = out;
        options.local = local;
        options.threads = 1;
        codes[i] = runDigest(options, team);
      });
    for (std::thread& thread : threads) thread.join();
    return codes;
  }

  // All tables, without the names of hosts before paths.
  static std::map<std::string, std::string> tablesOf(const std::string& digest) {
    Progress progress;
    const auto job = readDigest(digest + "/job.digest", 1, progress);
    std::map<std::string, std::string> tables;
    if (!job.ok()) return tables;
    const JobReport report(std::make_shared<const Analysis>(*job));
    for (const TableSpec& spec : tableSpecs()) {
      std::string& text = tables[std::string(spec.name)];
      text = toCsv(tableOf(report, spec));
      for (const char* host : {"a:/", "b:/"})
        for (std::size_t at = text.find(host); at != text.npos; at = text.find(host, at)) text.erase(at, 2);
    }
    return tables;
  }

  test::TemporaryFolder m_folder;
};

} // namespace

TEST_F(DigestHosts, haveTheTablesOfOneFolder) {
  const std::string shared = m_folder / "shared.digest";
  ASSERT_EQ(digest({{"a", m_folder / "job"}}, false, shared), std::vector{0});
  const auto expected = tablesOf(shared);
  for (const char* table : {"snapshots", "snapshot_blocks", "flight_recorder", "memory_expected", "findings"})
    EXPECT_GT(std::ranges::count(expected.at(table), '\n'), 1) << table;
  EXPECT_NE(expected.at("findings").find("hang_host"), std::string::npos);
  EXPECT_NE(expected.at("findings").find("out_of_memory"), std::string::npos);
  EXPECT_NE(expected.at("memory_expected").find("\n40,"), std::string::npos) << "a rank without a recording";
  const HostFolder a{"a", m_folder / "job/a"};
  const HostFolder b{"b", m_folder / "job/b"};
  const std::string local = m_folder / "local.digest";
  for (const auto& processes : {std::vector{a, b}, std::vector{b, a}, std::vector{a, a, b}}) {
    told.clear();
    ASSERT_EQ(digest(processes, true, local), std::vector<int>(processes.size(), 0));
    EXPECT_EQ(told, std::vector<std::string>());
    const auto tables = tablesOf(local);
    for (const auto& [name, text] : expected) EXPECT_EQ(tables.at(name), text) << name;
  }
  Progress progress;
  const auto job = readDigest(local + "/job.digest", 1, progress);
  EXPECT_EQ((*job)->side().ncclRecords->paths.size(), 2U);
  EXPECT_EQ((*job)->side().flightRecords.size(), 4U) << "a hang is looked at without the dumps";
}

TEST_F(DigestHosts, readAFolderThatTheyShareOnce) {
  const std::string shared = m_folder / "shared.digest";
  ASSERT_EQ(digest({{"a", m_folder / "job"}, {"a", m_folder / "job"}}, false, shared), (std::vector{0, 0}));
  const std::string local = m_folder / "local.digest";
  ASSERT_EQ(digest({{"a", m_folder / "job"}, {"b", m_folder / "job"}}, true, local), (std::vector{0, 0}));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told.front().find("4 files are seen by several hosts"), std::string::npos) << told.front();
  const auto tables = tablesOf(local);
  for (const auto& [name, text] : tablesOf(shared)) EXPECT_EQ(tables.at(name), text) << name;
}

// Of a job that hangs there may be dumps alone, each on its host.
TEST_F(DigestHosts, collectDumpsWithoutTraces) {
  for (const fs::path& trace : test::recordingsBelow(m_folder / "job"))
    if (trace.string().find(".pt.trace.") != std::string::npos) fs::remove(trace);
  const std::string to = m_folder / "dumps.digest";
  ASSERT_EQ(digest({{"a", m_folder / "job/a"}, {"b", m_folder / "job/b"}}, true, to), (std::vector{0, 0}));
  Progress progress;
  const auto job = readDigest(to + "/job.digest", 1, progress);
  ASSERT_TRUE(job.ok()) << job.error().text();
  EXPECT_TRUE((*job)->ranks().empty());
  const JobReport report(std::make_shared<const Analysis>(*job));
  ASSERT_TRUE(report.side().hang);
  EXPECT_EQ(report.side().hang->culpritsWith(HangVerdict::HostNeverCame), std::vector{3});
  EXPECT_NE(toCsv(tableOf(report, *tableSpec("snapshots"))).find("rank40_snapshot"), std::string::npos);
  fs::remove_all(m_folder / "job/a");
  fs::remove_all(m_folder / "job/b");
  fs::create_directories(m_folder / "job/a");
  told.clear();
  EXPECT_EQ(digest({{"a", m_folder / "job/a"}}, true, to), std::vector{2});
  EXPECT_FALSE(told.empty());
}

} // namespace rankscope
