// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-digest: any number of processes writes the same bytes, the report of a digest is that of the
// traces, and errors (app/digest_run, app/digest_matching, app/digest_load, app/digest_plan, app/digest_team,
// app/digest_options, app/digest_main, app/digest_paths, app/mpi_team, app/asked_events,
// core/io/load/job_assembly).
#include "app/digest_load.h"
#include "app/digest_plan.h"
#include "tests/support/job_generator.h"
#include "tests/support/program_texts.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training_snapshot.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// MPI as root, more processes than cores; what it keeps at its end is no leak of this program.
constexpr const char* kEnvironment =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0 ";

bool hasMpirun() {
#ifdef RANKSCOPE_DIGEST_MPI
  static const bool kFound = std::system("command -v mpirun >/dev/null 2>&1") == 0;
  return kFound;
#else
  return false;
#endif
}

class Digest : public testing::Test {
 protected:
  // Returns the exit code.
  int run(const std::string& command) {
    const std::string all = std::string(kEnvironment) + command + " >'" + (m_folder / "out") + "' 2>'" +
                            (m_folder / "err") + "' </dev/null";
    const int status = std::system(all.c_str());
    out = contentOf(m_folder / "out");
    err = contentOf(m_folder / "err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int digest(const std::string& arguments, const std::string& before = {}) {
    return run(before + " '" RANKSCOPE_DIGEST "' --threads 1 " + arguments);
  }
  static std::string mpirun(int processes) {
    return "mpirun --oversubscribe -n " + std::to_string(processes);
  }

  std::string uneven() {
    test::JobOptions options;
    options.ranks = 9;
    options.ranksPerNode = 4;
    options.steps = 3;
    options.layers = 1;
    options.clockOffsetNs = {0, 3'000'000, -1'000'000};
    options.missingRanks = {3};
    options.damage = {test::DamageKind::Truncate, 5, 500};
    test::generateJob(options, m_folder / "job");
    std::ofstream(m_folder / "job/rank7.pt.trace.json.gz") << "this is no trace";
    return m_folder / "job";
  }

  // The files of two reports that differ, and those that the digest lacks without a reason.
  std::vector<std::string> differences(const std::string& job, const std::string& digest) {
    const std::string cli = "RANKSCOPE_CACHE_DIR= '" RANKSCOPE_CLI "' report --quiet --gains formula ";
    EXPECT_EQ(run(cli + "'" + job + "' --out '" + (m_folder / "a") + "'"), 0) << err;
    EXPECT_EQ(run(cli + "'" + digest + "' --out '" + (m_folder / "b") + "'"), 0) << err;
    std::vector<std::string> differ;
    std::size_t compared = 0;
    for (const fs::directory_entry& file : fs::directory_iterator(m_folder / "b")) {
      const std::string name = file.path().filename().string();
      if (name == "summary.json" || err.find(name.substr(0, name.find('.')) + ": only") != std::string::npos)
        continue;
      ++compared;
      if (contentOf(file.path()) != contentOf(fs::path(m_folder / "a") / name)) differ.push_back(name);
    }
    EXPECT_GE(compared, 9U);
    for (const fs::directory_entry& file : fs::directory_iterator(m_folder / "a")) {
      const std::string name = file.path().filename().string();
      if (!fs::exists(fs::path(m_folder / "b") / name) &&
          err.find(name.substr(0, name.find('.')) + ": not in a digest") == std::string::npos)
        differ.push_back("without " + name);
    }
    fs::remove_all(m_folder / "a");
    fs::remove_all(m_folder / "b");
    return differ;
  }

  test::TemporaryFolder m_folder;
  std::string out;
  std::string err;
};

} // namespace

TEST_F(Digest, reportsEqualThoseOfTheTraces) {
  const std::string job = uneven();
  ASSERT_EQ(digest("'" + job + "' --out '" + (m_folder / "one.digest") + "'"), 0) << err;
  EXPECT_NE(err.find("rank7"), std::string::npos) << "what could not be read is named";
  EXPECT_EQ(differences(job, m_folder / "one.digest"), std::vector<std::string>());
}

TEST_F(Digest, hasTheTablesOfFilesBesideTheTraces) {
  const std::string job = uneven();
  std::ofstream(job + "/rank0_snapshot.pickle", std::ios::binary)
      << test::trainingSnapshot(test::TrainingShape());
  std::ofstream(job + "/rank40_snapshot.pickle", std::ios::binary)
      << test::trainingSnapshot(test::TrainingShape());
  const std::string to = m_folder / "side.digest";
  ASSERT_EQ(digest("'" + job + "' --out '" + to + "'"), 0) << err;
  EXPECT_EQ(differences(job, to), std::vector<std::string>());
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' table memory_expected '" + to + "'"), 0) << err;
  EXPECT_NE(out.find("\n40,"), std::string::npos) << "a rank without a recording";
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' table snapshots '" + to + "'"), 0) << err;
  EXPECT_NE(out.find("rank40_snapshot"), std::string::npos);
  // Made for the model that the digest knows.
  fs::remove_all(job);
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' table mfu --peak-tflops 100 '" + to + "'"), 4);
  EXPECT_NE(err.find("mfu"), std::string::npos) << err;
}

// What logs of NCCL, dumps and snapshots tell is in the digest too, for any number of processes.
TEST_F(Digest, hasTheFindingsOfFilesBesideTheTraces) {
  const std::string job = uneven();
  std::ofstream(job + "/nccl.log")
      << "a:1:1 [0] NCCL INFO NCCL version 2.20.5+cuda12.4\n"
         "a:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Ring.\n"
         "a:1:1 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
         "a:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0\n"
         "a:1:1 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 64 datatype 7 op 0 root 0 "
         "comm 0x3 [nranks=2] stream 0x4\n"
         "a:1:1 [0] transport/net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<1> with "
         "status=12 opcode=0 len=0 vendor err 129\n";
  for (int rank = 0; rank < 3; ++rank)
    std::ofstream(job + fmt::format("/nccl_trace_rank_{}.json", rank)) << fmt::format(
        R"({{"version":"2.9","pg_config":{{"0":{{"name":"0","desc":"default_pg","ranks":"[0, 1, 2]"}}}},)"
        R"("pg_status":{{"0":{{"last_enqueued_collective":"{}","last_started_collective":"-1",)"
        R"("last_completed_collective":"4"}}}},"entries":[{}]}})",
        rank == 1 ? 4 : 5,
        rank == 1 ? ""
                  : R"({"record_id":5,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":5,)"
                    R"("profiling_name":"nccl:all_reduce","input_sizes":[[8]],"output_sizes":[[8]],)"
                    R"("state":"scheduled","time_created_ns":1700000000000000000,"retired":false,)"
                    R"("is_p2p":false})");
  test::TrainingShape shape;
  shape.outOfMemory = true;
  std::ofstream(job + "/rank0_snapshot.pickle", std::ios::binary) << test::trainingSnapshot(shape);
  const std::string to = m_folder / "side.digest";
  for (const int processes : hasMpirun() ? std::vector{0, 2, 3} : std::vector{0}) {
    const std::string launch = processes > 0 ? mpirun(processes) : std::string();
    ASSERT_EQ(digest(fmt::format("'{}' --out '{}'", job, to), launch), 0) << err;
    EXPECT_EQ(differences(job, to), std::vector<std::string>()) << processes;
  }
  // Logs that are named are no traces.
  ASSERT_EQ(digest("'" + job + "' '" + job + "/nccl.log' --out '" + to + "'"), 0) << err;
  EXPECT_EQ(err.find("nccl.log"), std::string::npos) << err;
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' table findings '" + to + "'"), 0) << err;
  for (const char* kind : {"net_warning", "net_socket", "net_pinned", "hang_host", "out_of_memory"})
    EXPECT_NE(out.find(kind), std::string::npos) << kind << out;
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' network '" + to + "'"), 0) << err;
  EXPECT_NE(out.find("NCCL settings are pinned"), std::string::npos) << out;
  // Dumps are in the digest, snapshots lie where they are.
  ASSERT_EQ(run("'" RANKSCOPE_CLI "' hang '" + job + "'"), 3) << err;
  const std::string hang = out;
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' hang '" + to + "'"), 3) << err;
  EXPECT_EQ(out, hang);
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' snapshot '" + to + "'"), 4);
  EXPECT_NE(err.find("rank0_snapshot.pickle"), std::string::npos) << err;
  ASSERT_EQ(digest("--local '" + job + "' --out '" + to + "'"), 0) << err;
  EXPECT_EQ(differences(job, to), std::vector<std::string>());
}

TEST_F(Digest, anyNumberOfProcessesWritesTheSame) {
  RANKSCOPE_SKIP_WITHOUT(hasMpirun(), "no mpirun");
  const std::string job = uneven();
  ASSERT_EQ(digest("'" + job + "' --out '" + (m_folder / "1.digest") + "'"), 0) << err;
  const std::string to = m_folder / "mpi.digest";
  const std::string arguments = "'" + job + "' --out '" + to + "'";
  for (const int processes : {1, 2, 3, 8}) {
    fs::remove_all(to);
    ASSERT_EQ(digest(arguments, mpirun(processes)), 0) << err;
    EXPECT_TRUE(contentOf(to + "/job.digest") == contentOf(m_folder / "1.digest/job.digest")) << processes;
  }
}

TEST_F(Digest, foldersOfHostsAreReadOnceAndByTheirHost) {
  const std::string job = uneven();
  ASSERT_EQ(digest("--local '" + job + "' --out '" + (m_folder / "local.digest") + "'"), 0) << err;
  ASSERT_EQ(digest("'" + job + "' --out '" + (m_folder / "1.digest") + "'"), 0) << err;
  const std::string expected = contentOf(m_folder / "1.digest/job.digest");
  EXPECT_TRUE(contentOf(m_folder / "local.digest/job.digest") == expected);
  RANKSCOPE_SKIP_WITHOUT(hasMpirun(), "no mpirun");
  ASSERT_EQ(digest("--local '" + job + "' --out '" + (m_folder / "2.digest") + "'", mpirun(2)), 0) << err;
  EXPECT_TRUE(contentOf(m_folder / "2.digest/job.digest") == expected);
}

TEST_F(Digest, sharedRecordingsOfSeveralRanksAreEqual) {
  std::size_t tested = 0;
  for (const char* set : {"p2p-4rank-t4", "pippy-pipeline", "vllm-prefill-decode"}) {
    const fs::path folder = test::sharedFolder() / "traces" / set;
    if (!fs::is_directory(folder)) continue;
    ++tested;
    const std::string to = m_folder / "shared.digest";
    ASSERT_EQ(digest("'" + folder.string() + "' --out '" + to + "'", hasMpirun() ? mpirun(2) : ""), 0) << err;
    EXPECT_EQ(differences(folder.string(), to), std::vector<std::string>()) << set;
  }
  RANKSCOPE_SKIP_UNLESS(tested > 0, test::kNoRecordings);
}

// Under Slurm the script starts the processes by srun.
TEST_F(Digest, theScriptForSlurmDigests) {
  const std::string job = uneven();
  const std::string to = m_folder / "script.digest";
  const std::string launch = hasMpirun() ? mpirun(2) : "env";
  EXPECT_EQ(run("RANKSCOPE_LAUNCH='" + launch +
                "' RANKSCOPE_DIGEST='" RANKSCOPE_DIGEST "' bash '" RANKSCOPE_SOURCE_DIR
                "/packaging/slurm_digest.sh' '" +
                to + "' '" + job + "'"),
            0)
      << err;
  EXPECT_TRUE(fs::exists(to + "/job.digest"));
}

TEST_F(Digest, planReadsNothing) {
  const std::string job = uneven();
  ASSERT_EQ(digest("--plan '" + job + "'"), 0) << err;
  EXPECT_NE(out.find("memory"), std::string::npos) << out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2) << out;
}

TEST_F(Digest, theManualPageSaysWhatHelpDoes) {
  ASSERT_EQ(digest("--help"), 0);
  const std::string page = contentOf(fs::path(RANKSCOPE_TEXTS) / "man/rankscope-digest.1");
  std::set<std::string> said = test::longOptionsIn(test::manualText(page));
  EXPECT_EQ(said.erase("--mpi"), 1U) << "an option of srun";
  EXPECT_EQ(said, test::longOptionsIn(out));
}

TEST_F(Digest, completionsOfferWhatHelpDoes) {
  ASSERT_EQ(digest("--help"), 0);
  const std::set<std::string> options = test::longOptionsIn(out);
  const auto completion = [](const char* name) {
    return contentOf(fs::path(RANKSCOPE_TEXTS) / "completions" / name);
  };
  EXPECT_EQ(test::fishOptionsIn(completion("rankscope-digest.fish")), options);
  // bash and zsh have all programs in one file; what is between these words is of this one.
  const auto part = [&](const char* name, const char* from, const char* to) {
    const std::string text = completion(name);
    const std::size_t begin = text.find(from);
    return test::longOptionsIn(text.substr(begin, text.find(to, begin) - begin));
  };
  EXPECT_EQ(part("rankscope.bash", "_rankscope_digest() {", "\n}\n"), options);
  EXPECT_EQ(part("_rankscope", "== rankscope-digest ]]", "\nfi\n"), options);
}

// More files than can be read in time: what was read is written, and the rest is named.
// A process meets names in the order of its own ranks, and a rank that began late has others first.
TEST_F(Digest, bytesDoNotDependOnTheOrderOfNames) {
  RANKSCOPE_SKIP_WITHOUT(hasMpirun(), "mpirun is not installed");
  test::JobOptions options;
  options.ranks = 4;
  options.steps = 3;
  options.layers = 1;
  options.late = {1, 4'000'000};
  options.straggler = {3, 2'000'000, 0, test::StragglerKind::Compute};
  test::generateJob(options, m_folder / "job");
  const std::string to = m_folder / "of.digest";
  ASSERT_EQ(digest("'" + (m_folder / "job") + "' --out '" + to + "'"), 0) << err;
  const std::string alone = contentOf(fs::path(to) / "job.digest");
  for (const int processes : {2, 4}) {
    ASSERT_EQ(digest("'" + (m_folder / "job") + "' --out '" + to + "'", mpirun(processes)), 0) << err;
    EXPECT_TRUE(contentOf(fs::path(to) / "job.digest") == alone) << processes;
  }
}

TEST_F(Digest, aTimeLimitWritesWhatWasRead) {
  test::JobOptions options;
  options.ranks = 1;
  options.steps = 3;
  options.layers = 100;
  test::generateJob(options, m_folder / "job");
  const fs::path one = test::recordingsBelow(m_folder / "job").front();
  const std::uintmax_t bytes = fs::file_size(one);
  constexpr std::uintmax_t kAll = std::uintmax_t{4} << 30;
  for (std::uintmax_t i = 1; i * bytes < kAll; ++i)
    fs::create_hard_link(one, one.parent_path() / ("rank" + std::to_string(i) + ".pt.trace.json"));
  const std::string to = m_folder / "late.digest";
  int status = 2; // nothing was read
  for (int seconds = 5; status == 2 && seconds <= 40; seconds *= 2)
    status = digest(fmt::format("'{}' --time {}s --out '{}'", m_folder / "job", seconds, to));
  EXPECT_EQ(status, 4) << err.substr(0, 1000);
  EXPECT_NE(err.find("time limit"), std::string::npos);
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' table ranks '" + to + "'"), 0) << err;
}

// Events that are kept show single ranks without their traces, and continue a run that was interrupted.
TEST_F(Digest, aSecondRunContinuesWithTheEventsThatAreKept) {
  const std::string job = uneven();
  const std::string to = m_folder / "kept.digest";
  const std::string arguments = "--keep-events '" + job + "' --out '" + to + "'";
  ASSERT_EQ(digest("'" + job + "' --out '" + (m_folder / "1.digest") + "'"), 0) << err;
  const std::string expected = contentOf(m_folder / "1.digest/job.digest");
  ASSERT_EQ(digest(arguments), 0) << err;
  EXPECT_EQ(err.find("earlier run"), std::string::npos) << err;
  EXPECT_TRUE(contentOf(to + "/job.digest") == expected);
  std::vector<fs::path> kept;
  for (const fs::directory_entry& file : fs::directory_iterator(to + "/events")) kept.push_back(file.path());
  EXPECT_EQ(kept.size(), 8U) << "of nine ranks one has no file";
  // A run that was killed has no digest, but some events.
  fs::remove(to + "/job.digest");
  for (std::size_t i = 3; i < kept.size(); ++i) fs::remove(kept[i]);
  std::ofstream(kept[0], std::ios::trunc) << "damaged";
  std::ofstream(kept[0].string() + ".1-0.part") << "half";
  for (const int processes : hasMpirun() ? std::vector{0, 2} : std::vector{0}) {
    ASSERT_EQ(digest(arguments, processes > 0 ? mpirun(processes) : ""), 0) << err;
    EXPECT_NE(err.find(processes > 0 ? "8 files were read by an earlier run" : "2 files were read"),
              std::string::npos)
        << err;
    EXPECT_TRUE(contentOf(to + "/job.digest") == expected) << processes;
    for (const fs::directory_entry& file : fs::directory_iterator(to + "/events"))
      EXPECT_EQ(file.path().extension(), ".events");
  }
}

// If events cannot be kept, an error says so, and the digest is still written.
TEST_F(Digest, saysWhichEventsCouldNotBeKept) {
  const std::string job = uneven();
  const std::string to = m_folder / "kept.digest";
  fs::create_directory(to);
  std::ofstream(to + "/events") << "a file where the folder should be";
  EXPECT_EQ(digest("--keep-events '" + job + "' --out '" + to + "'"), 1);
  EXPECT_NE(err.find("events were not kept"), std::string::npos) << err;
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' table ranks '" + to + "'"), 0) << err;
}

TEST_F(Digest, wrongUsageIsOneLine) {
  const std::string job = uneven();
  for (const std::string& arguments :
       std::vector<std::string>{"", "'" + job + "'", "--out x", "'" + job + "' --local x --out x",
                                "'" + job + "' --out x --time 5", "'" + job + "' --out x --nonsense"}) {
    EXPECT_EQ(digest(arguments), 1) << arguments;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  }
  EXPECT_EQ(digest("'" + (m_folder / "absent") + "' --out x"), 2);
  // Slurm's tasks that do not know of each other would each digest the whole job.
  EXPECT_EQ(digest("'" + job + "' --out x", "SLURM_NTASKS=4"), 1);
#ifdef RANKSCOPE_DIGEST_MPI
  EXPECT_NE(err.find("--mpi=pmix"), std::string::npos) << err;
#endif
}

// Before anything is read.
TEST_F(Digest, pathsThatCannotBeMeantAreRefused) {
  const std::string job = uneven();
  std::ofstream(m_folder / "file") << "text";
  for (const std::string& target : {std::string(m_folder / "file"), m_folder / "file/below", job}) {
    EXPECT_EQ(digest("'" + job + "' --out '" + target + "'"), 1) << target;
    EXPECT_NE(err.find("--out: "), std::string::npos) << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  }
  // A folder with traces would open as the digest.
  EXPECT_FALSE(fs::exists(job + "/job.digest"));
  const std::string to = m_folder / "new/folders/ü b.digest";
  ASSERT_EQ(digest("'" + job + "' --out '" + to + "/'"), 0) << err;
  ASSERT_EQ(digest("'" + job + "' --keep-events --out '" + to + "'"), 0) << err;
  EXPECT_EQ(digest("'" + to + "' --out '" + (m_folder / "again.digest") + "'"), 1);
  EXPECT_NE(err.find("is a digest already"), std::string::npos) << err;
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' summary '" + to + "' '" + to + "'"), 2);
  EXPECT_NE(err.find("open it alone"), std::string::npos) << err;
  // Moved, it still has its events.
  fs::rename(to, m_folder / "moved.digest");
  fs::remove_all(job);
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' stacks --ranks 0 '" + (m_folder / "moved.digest") + "'"), 0) << err;
}

TEST_F(Digest, aFullDiskLeavesNoHalfDigest) {
  const std::string job = uneven();
  const std::string to = m_folder / "full.digest";
  const std::string quoted = "'" RANKSCOPE_DIGEST "' '" + job + "' --out '" + to + "'";
  EXPECT_EQ(run("sh -c \"ulimit -f 8; exec " + quoted + "\""), 1) << err;
  EXPECT_NE(err.find("job.digest"), std::string::npos) << err;
  EXPECT_TRUE(fs::is_empty(to));
}

TEST_F(Digest, aProcessThatDiesEndsTheRun) {
  RANKSCOPE_SKIP_WITHOUT(hasMpirun(), "no mpirun");
  const std::string job = uneven();
  const std::string to = m_folder / "died.digest";
  // The second one is killed once the first waits for it.
  const std::string part =
      mpirun(1) + " '" RANKSCOPE_DIGEST "' '" + job + "' --out '" + to + "' : -n 1 sh -c 'kill -9 $$'";
  EXPECT_NE(run(part), 0);
  EXPECT_FALSE(fs::exists(to));
}

// Events that were kept, or are in traces that can be reached, answer as the traces do.
TEST_F(Digest, commandsLoadTheEventsThatTheyNeed) {
  const std::string job = m_folder / "job";
  test::JobOptions options;
  options.ranks = 3;
  options.ranksPerNode = 2;
  options.steps = 3;
  options.layers = 1;
  options.differentBases = true;
  options.clockOffsetNs = {0, 3'000'000};
  test::generateJob(options, job);
  const std::string kept = m_folder / "kept.digest";
  const std::string bare = m_folder / "bare.digest";
  ASSERT_EQ(digest("--keep-events '" + job + "' --out '" + kept + "'"), 0) << err;
  ASSERT_EQ(digest("'" + job + "' --out '" + bare + "'"), 0) << err;
  const std::vector<std::string> commands{
      "critical-path --format csv",
      "critical-path --by category --format csv --ranks 1",
      "what-if --format csv",
      "slowdown --format csv",
      "stacks --weight device",
      "stacks --ranks 0,2 --by rank",
      "stacks --steps 3",
      "query \"SELECT rank, name, begin_ns, duration_ns FROM events ORDER BY 1, 3, 4 DESC, 2\" --format csv",
      "query \"SELECT count(*), sum(duration_ns) FROM events\" --format csv --ranks 1",
      "query \"SELECT * FROM kernels\" --format csv",
      "table critical_path",
      "table what_if",
      "table slowdown --ranks 0",
      "table kernels --by module",
      "table operators --steps 3",
      "table steps --ranks 1 --steps 2..3",
      "table kernels --from 1ms --to 9ms",
      "table findings",
      "table findings --ranks 0",
      "table findings --gains replay",
      "findings --gains replay --format csv",
      "table mfu --peak-tflops 100",
      "compare --b-ranks 1 --a-ranks 0 --format json",
  };
  const std::string cli = "RANKSCOPE_CACHE_DIR= '" RANKSCOPE_CLI "' ";
  std::map<std::string, std::string> expected;
  for (const std::string& command : commands) {
    // Without events gains are those of the formula.
    const bool formula = command == "table findings";
    ASSERT_EQ(run(cli + command + (formula ? " --gains formula" : "") + " '" + job + "'"), 0)
        << command << err;
    expected[command] = out;
    for (const std::string& digest : {kept, bare}) {
      EXPECT_EQ(run(cli + command + " '" + digest + "'"), 0) << command << err;
      EXPECT_EQ(out, expected[command]) << command << digest;
    }
  }
  EXPECT_EQ(run(cli + "excerpt --ranks 1 --out '" + (m_folder / "one.json") + "' '" + kept + "'"), 0) << err;
  EXPECT_EQ(run(cli + "report --html --out '" + (m_folder / "html") + "' '" + kept + "'"), 0) << err;
  EXPECT_TRUE(fs::exists(m_folder / "html/critical_path.csv"));

  fs::rename(job, m_folder / "elsewhere");
  for (const std::string& command : commands) {
    const bool arguments = command.find("replay") != command.npos ||
                           command.find("findings --ranks") != command.npos ||
                           command.find("mfu") != command.npos;
    EXPECT_EQ(run(cli + command + " '" + kept + "'"), arguments ? 4 : 0) << command << err;
    // FLOPs are counted from arguments, of which a warning says that they are unknown.
    EXPECT_TRUE(arguments || out == expected[command] || command.starts_with("compare")) << command;
    if (command == "table findings") continue; // the digest is enough
    EXPECT_NE(err.find("rank"), std::string::npos) << command << err;
    EXPECT_NE(err.find(job), std::string::npos) << command << err;
    EXPECT_EQ(run(cli + command + " '" + bare + "'"), 4) << command << err;
    EXPECT_NE(err.find("cannot be reached"), std::string::npos) << command << err;
  }
  // What is there is loaded; what is not is named.
  fs::create_directories(job);
  for (const fs::path& trace : test::recordingsBelow(m_folder / "elsewhere"))
    if (trace.string().find("rank2") == std::string::npos)
      fs::rename(trace, fs::path(job) / fs::relative(trace, m_folder / "elsewhere"));
  EXPECT_EQ(run(cli + "stacks --ranks 0,2 '" + bare + "'"), 4);
  EXPECT_NE(err.find("needs the events of rank 2, which cannot be reached"), std::string::npos) << err;
  EXPECT_NE(err.find("rank 0 can be reached"), std::string::npos) << err;
  EXPECT_EQ(run(cli + "stacks --ranks 0 '" + bare + "'"), 0) << err;
  EXPECT_EQ(run(cli + "table critical_path --ranks 0 '" + bare + "'"), 4) << "a replay takes all ranks";
}

TEST_F(Digest, commandsThatCannotReachEventsSaySo) {
  const std::string job = uneven();
  const std::string to = m_folder / "job.digest";
  ASSERT_EQ(digest("'" + job + "' --out '" + to + "'"), 0) << err;
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' table findings '" + to + "'"), 0) << err;
  const std::string findings = out;
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' findings --format csv '" + to + "'"), 0);
  EXPECT_EQ(out, findings);
  EXPECT_NE(err.find("those of the formula"), std::string::npos) << err;
  fs::remove_all(job);
  for (const char* command : {"critical-path", "what-if", "stacks", "query \"SELECT 1\""}) {
    EXPECT_EQ(run(std::string("'" RANKSCOPE_CLI "' ") + command + " '" + to + "'"), 4) << command << err;
    EXPECT_NE(err.find("--keep-events"), std::string::npos) << err;
  }
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' table findings --peak-tflops 100 '" + to + "'"), 4);
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' table steps --steps 1 '" + to + "'"), 4);
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' table steps --ranks 0 '" + to + "'"), 0);
  EXPECT_EQ(run("'" RANKSCOPE_CLI "' summary '" + to + "'"), 0);
}

TEST(DigestLoad, filesThatAreTooLateHaveAnError) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 2;
  test::generateJob(options, folder / "job");
  std::vector<std::string> paths;
  for (const fs::path& path : test::recordingsBelow(folder / "job")) paths.push_back(path.string());
  const LoadedFiles late = loadFiles(paths, 2, std::chrono::steady_clock::time_point());
  EXPECT_TRUE(late.incomplete);
  ASSERT_EQ(late.files.size(), paths.size());
  for (const auto& file : late.files) {
    ASSERT_FALSE(file.ok());
    EXPECT_NE(file.error().message.find("time limit"), std::string::npos);
  }
  const LoadedFiles whole = loadFiles(paths, 2, std::nullopt);
  EXPECT_FALSE(whole.incomplete);
  EXPECT_TRUE(whole.files.front().ok());
}

TEST(DigestPlan, dealsTheLongestFilesFirst) {
  std::vector<DigestFile> files;
  for (const std::uint64_t bytes : {10U, 50U, 20U, 30U, 0U}) files.push_back({{"", "", bytes}, "", 0});
  const std::vector<std::vector<std::size_t>> both(files.size(), {0, 1});
  dealFiles(files, both, 2);
  std::map<std::size_t, std::uint64_t> bytes;
  for (const DigestFile& file : files) bytes[file.process] += file.found.bytes;
  EXPECT_EQ(bytes[0], 60U);
  EXPECT_EQ(bytes[1], 50U);
  // Each host has its own.
  const std::vector<std::vector<std::size_t>> own{{1}, {1}, {0}, {0}, {0}};
  dealFiles(files, own, 2);
  EXPECT_EQ(files[0].process, 1U);
  EXPECT_EQ(files[4].process, 0U);
}

// Every process opens the digests of all ranks; events that are kept need not stay in memory.
TEST(DigestPlan, countsTheDigestsOfAllRanks) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 8;
  options.steps = 3;
  test::generateJob(options, folder / "job");
  std::vector<std::string> paths;
  for (const fs::path& path : test::recordingsBelow(folder / "job")) paths.push_back(path.string());
  std::vector plans{planOf(paths, "a", 1, false), planOf(paths, "b", 1, true)};
  EXPECT_LT(plans[1].memory, plans[0].memory / 2);
  const std::uint64_t before = plans[0].memory;
  addOpenedRanks(plans);
  EXPECT_GT(plans[0].opened, 16 * 120'000U);
  EXPECT_EQ(plans[0].memory, before + plans[0].opened);
  EXPECT_EQ(plans[0].opened, plans[1].opened);
}

TEST(DigestPlan, namesTheHostThatIsTooSmall) {
  ProcessPlan fits{"a", 1, 1, 1, 1'000'000, 1, std::uint64_t{8} << 30};
  ProcessPlan large{"b", 1, 1, 1, std::uint64_t{5} << 30, 1, std::uint64_t{8} << 30};
  EXPECT_EQ(shortageText(std::vector{fits, large}), "");
  const std::string text = shortageText(std::vector{fits, large, large});
  EXPECT_NE(text.find(" on b, of 8.0 GiB"), std::string::npos) << text;
  EXPECT_EQ(unpackedPlan(packedPlan(large)).memory, large.memory);
  EXPECT_NE(planText(std::vector{fits, large}).find('b'), std::string::npos);
}

} // namespace rankscope
