// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs of remotes: what names say before anything is fetched; then real servers on the loopback.
// Covers core/io/remote/rclone, core/io/remote/fetch_progress, core/io/load/job_places and
// core/io/files/temporary_folders.
#include "core/io/load/remote_traces.h"

#include "core/io/files/shown_paths.h"
#include "core/io/load/job_loader.h"
#include "core/model/side_files.h"
#include "core/report/report_files.h"
#include "core/report/summary_text.h"
#include "core/report/tables.h"
#include "tests/support/archive_writer.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/remote_servers.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::RemoteServer;
using test::TemporaryFolder;

std::vector<RemoteFile> listOf(const std::vector<std::string>& paths) {
  std::vector<RemoteFile> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) files.push_back({path, 1'000'000, "2026-01-01T00:00:00Z"});
  return files;
}

std::string textOf(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// All tables but the one of files, whose paths differ.
std::string tablesOf(const std::shared_ptr<const TraceSet>& set) {
  if (set == nullptr) return {};
  const JobReport report(std::make_shared<const Analysis>(set));
  std::string text;
  for (const char* const name : {"ranks", "steps", "collective_instances", "kernels", "findings"})
    text += formattedTable(tableSpec(name)->make(report), TableFormat::Csv);
  return text;
}

std::vector<int> ranksOf(const TraceSet& set) {
  std::vector<int> ranks;
  ranks.reserve(set.ranks().size());
  for (const RankEntry& entry : set.ranks()) ranks.push_back(entry.rank);
  return ranks;
}

// Accepts connections on the loopback and never answers.
class SilentServer {
 public:
  SilentServer() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (bind(m_socket, any, size) == 0 && listen(m_socket, 16) == 0 && getsockname(m_socket, any, &size) == 0)
      m_port = ntohs(address.sin_port);
  }
  ~SilentServer() { close(m_socket); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  [[nodiscard]] int port() const { return m_port; }

 private:
  int m_socket = socket(AF_INET, SOCK_STREAM, 0);
  int m_port = 0;
};

// A job of eight ranks, and what a load of it needs.
class RemoteTraces : public testing::Test {
 protected:
  RemoteTraces() {
    test::JobOptions options;
    options.ranks = 8;
    options.steps = 2;
    options.layers = 2;
    test::generateJob(options, m_job);
    fs::remove(m_job / "ground_truth.json");
    m_options.threadCount = 2;
    m_options.fetched = &m_fetched;
    m_options.cache = TraceCacheSettings{(m_folder.path() / "cache").string(), std::uint64_t{1} << 30, 0};
  }

  void giveS3Keys() {
    m_environment.set("AWS_ACCESS_KEY_ID", "S3RVER");
    m_environment.set("AWS_SECRET_ACCESS_KEY", "S3RVER");
  }
  Result<std::shared_ptr<const TraceSet>> load(const std::string& path) {
    m_progress = std::make_unique<Progress>();
    return loadJob({path}, m_options, *m_progress);
  }
  std::string problem(const std::string& path) {
    const auto loaded = load(path);
    EXPECT_FALSE(loaded) << path;
    return loaded ? std::string() : loaded.error().text();
  }
  void choose(std::set<int> ranks) {
    m_options.chooseRemote = [ranks](const RemoteContents& contents) {
      return chosenFiles(contents, {ranks, std::nullopt, kFetchUnasked});
    };
  }
  std::shared_ptr<const TraceSet> local() {
    Progress progress;
    LoadOptions options;
    options.threadCount = 2;
    const auto loaded = loadJob({m_job.string()}, options, progress);
    return loaded ? *loaded : nullptr;
  }
  // Files below the cache folder that hold the text.
  [[nodiscard]] std::vector<std::string> filesWith(const std::string& text) const {
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(m_folder.path() / "cache"))
      if (entry.is_regular_file() && textOf(entry.path()).find(text) != std::string::npos)
        found.push_back(entry.path().string());
    return found;
  }

  TemporaryFolder m_folder;
  test::RemoteEnvironment m_environment{m_folder.path()};
  fs::path m_job = m_folder.path() / "job";
  LoadOptions m_options;
  std::unique_ptr<Progress> m_progress;
  FetchProgress m_fetched;
};

} // namespace

TEST(RemoteContents, NamesSayWhatIsThere) {
  const RemoteContents contents = remoteContents(
      "s3://b/p",
      listOf({"node0/rank0.json.gz", "node0/rank1.json.gz", "node1/rank2.json", "memory_rank0.pickle",
              "nccl.log", "readme.md", "model.pt", "old.tar.gz", "rank3.json.zst"}),
      false);
  ASSERT_EQ(contents.files.size(), 6U);
  EXPECT_EQ(contents.others, 2U);
  std::vector<int> ranks;
  for (const RemoteEntry& entry : contents.files) ranks.push_back(entry.rank.value_or(-1));
  EXPECT_EQ(ranks, (std::vector<int>{0, 1, 2, -1, -1, 3}));
  EXPECT_EQ(contents.files[2].node, "node1");
  EXPECT_EQ(contents.files[3].use, RemoteUse::Beside);
  ASSERT_EQ(contents.problems.size(), 1U); // the archive beside traces
  EXPECT_EQ(contents.bytes(), 6'000'000U);
}

TEST(RemoteContents, ArchivesAloneAreOpened) {
  const RemoteContents contents = remoteContents("s3://b/p", listOf({"job.tar.gz"}), false);
  ASSERT_EQ(contents.files.size(), 1U);
  EXPECT_EQ(contents.files[0].use, RemoteUse::Archive);
}

TEST(RemoteContents, HostileNamesAreNotFetched) {
  const RemoteContents contents =
      remoteContents("s3://b/p", listOf({"../rank0.json", "a//rank1.json", "rank2.json"}), false);
  ASSERT_EQ(contents.files.size(), 1U);
  EXPECT_EQ(contents.problems.size(), 2U);
}

TEST(RemoteContents, MoreThanAgreedIsNotFetched) {
  std::vector<RemoteFile> files = listOf({"rank0.json", "rank1.json"});
  for (RemoteFile& file : files) file.bytes = 1'500'000'000;
  RemoteContents contents = remoteContents("s3://b/p", files, false);
  const auto all = chosenFiles(contents, {});
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().text().find("3.0 GB are to be fetched, more than 2.0 GB"), std::string::npos)
      << all.error().text();
  EXPECT_TRUE(chosenFiles(contents, {std::set<int>{1}, std::nullopt, kFetchUnasked}));
  contents.files[0].here = true;
  EXPECT_TRUE(chosenFiles(contents, {})); // one of them is here
  EXPECT_FALSE(chosenFiles(contents, {std::set<int>{7}, std::nullopt, kFetchUnasked}));
}

TEST_F(RemoteTraces, LocalFilesComeFirst) {
  const fs::path odd = m_folder.path() / "host:job";
  fs::create_directory(odd);
  EXPECT_FALSE(isRemotePath(odd.string()));
  const fs::path before = fs::current_path();
  fs::current_path(m_folder.path());
  EXPECT_FALSE(isRemotePath("host:job"));
  EXPECT_TRUE(isRemotePath("host:job2"));
  fs::current_path(before);
}

TEST_F(RemoteTraces, WithoutRcloneTheMessageSaysWhatToInstall) {
  m_environment.set("PATH", m_folder / "none");
  EXPECT_NE(problem("s3://bucket/job").find("apt install rclone"), std::string::npos);
  EXPECT_NE(problem("box:job").find("apt install rclone"), std::string::npos);
}

// The whole round: list, fetch two of eight, open again without fetching, one object changes.
TEST_F(RemoteTraces, AJobInS3IsFetchedInPartsAndOnlyWhatChanged) {
  RANKSCOPE_SKIP_WITHOUT(!test::programPath("rclone").empty(), test::kNoRclone);
  RANKSCOPE_SKIP_WITHOUT(!test::s3rverPath().empty(), test::kNoS3rver);
  RemoteServer server = RemoteServer::s3(m_folder.path() / "s3");
  ASSERT_NE(server.port(), 0);
  ASSERT_EQ(test::runRclone({"copy", m_job.string(), test::s3Remote(server.port(), "runs/job")}), 0);
  const std::string address = test::s3Address(server.port(), "runs/job");
  const std::string withKeys = address + "&access_key_id=S3RVER&secret_access_key=S3RVER";
  const std::string whole = tablesOf(local());

  EXPECT_NE(problem(address).find("no credentials: set AWS_ACCESS_KEY_ID"), std::string::npos);
  m_environment.set("AWS_ACCESS_KEY_ID", "nobody");
  m_environment.set("AWS_SECRET_ACCESS_KEY", "nothing");
  EXPECT_NE(problem(address).find("access denied"), std::string::npos);
  m_environment.unset("AWS_ACCESS_KEY_ID");
  m_environment.unset("AWS_SECRET_ACCESS_KEY");

  choose({2, 5});
  auto loaded = load(withKeys);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(ranksOf(**loaded), (std::vector<int>{2, 5}));
  EXPECT_EQ((*loaded)->jobName(), "job");
  EXPECT_EQ((*loaded)->side().leftOutRanks, (std::vector<int>{0, 1, 3, 4, 6, 7}));
  const std::string summary = summaryText(JobReport(std::make_shared<const Analysis>(*loaded)));
  EXPECT_EQ(summary.find("Missing ranks"), std::string::npos) << summary;
  EXPECT_NE(summary.find("Ranks left out: 0, 1, 3, 4, 6, 7"), std::string::npos) << summary;
  EXPECT_EQ(m_fetched.bytesDone.load(), m_fetched.bytesTotal.load());
  EXPECT_GT(m_fetched.bytesTotal.load(), 0U);
  EXPECT_EQ(m_progress->stage.load(), LoadStage::Done);
  EXPECT_EQ(filesWith("S3RVER"), std::vector<std::string>{});

  giveS3Keys();
  EXPECT_TRUE(writeTraceCache(**loaded, *m_options.cache));
  loaded = load(address);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(m_fetched.bytesTotal.load(), 0U); // both are here
  EXPECT_TRUE((*loaded)->origin().cached);

  m_options.chooseRemote = {};
  loaded = load(address);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(tablesOf(*loaded), whole);
  std::uint64_t others = 0;
  std::string name, other;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(m_job)) {
    const std::string relative = fs::relative(entry.path(), m_job).generic_string();
    const auto rank = remoteContents("", listOf({relative}), false).files.front().rank;
    if (rank != 2 && rank != 5) others += fs::file_size(entry.path());
    if (rank == 5) name = relative;
    if (rank == 2) other = relative;
  }
  EXPECT_EQ(m_fetched.bytesTotal.load(), others);

  std::ofstream(m_job / name, std::ios::app) << "\n";
  ASSERT_EQ(test::runRclone({"copy", m_job.string(), test::s3Remote(server.port(), "runs/job")}), 0);
  loaded = load(address);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(m_fetched.bytesTotal.load(), fs::file_size(m_job / name));
  EXPECT_EQ(tablesOf(*loaded), whole);

  EXPECT_NE(problem(test::s3Address(server.port(), "runs/none")).find("nothing is there"), std::string::npos);
  const std::string noBucket = "s3://nobucket/x?endpoint=http://127.0.0.1:" + std::to_string(server.port());
  EXPECT_NE(problem(noBucket).find("not found"), std::string::npos);
  loaded = load(test::s3Address(server.port(), "runs/job/" + name)); // one file
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(ranksOf(**loaded), std::vector<int>{5});
  Progress ofTwo, ofLocal; // two files are as on this machine
  const auto two = loadJob({test::s3Address(server.port(), "runs/job/" + other),
                            test::s3Address(server.port(), "runs/job/" + name)},
                           m_options, ofTwo);
  const auto asLocal = loadJob({(m_job / other).string(), (m_job / name).string()}, m_options, ofLocal);
  ASSERT_TRUE(two && asLocal);
  EXPECT_EQ(tablesOf(*two), tablesOf(*asLocal));

  server.stop();
  EXPECT_NE(problem(address).find("cannot be reached"), std::string::npos);
  EXPECT_EQ(filesWith("S3RVER"), std::vector<std::string>{});
}

TEST_F(RemoteTraces, AnAddressThatFailsLeavesNothing) {
  RANKSCOPE_SKIP_WITHOUT(!test::programPath("rclone").empty(), test::kNoRclone);
  const fs::path served = m_folder.path() / "served";
  fs::create_directories(served / "empty");
  fs::copy(m_job, served / "job", fs::copy_options::recursive);
  RemoteServer server = RemoteServer::rclone("webdav", served);
  ASSERT_NE(server.port(), 0);
  const fs::path configuration = m_folder.path() / "home/.config/rclone";
  fs::create_directories(configuration);
  std::ofstream(configuration / "rclone.conf")
      << "[box]\ntype = webdav\nvendor = other\nurl = http://127.0.0.1:" << server.port() << "\n";
  const fs::path kept = m_folder.path() / "cache/remote";
  const auto isEmpty = [&] { return !fs::exists(kept) || fs::is_empty(kept); };
  EXPECT_NE(problem("box:empty").find("nothing is there"), std::string::npos);
  EXPECT_TRUE(isEmpty());
  choose({77});
  EXPECT_NE(problem("box:job").find("none of its files"), std::string::npos);
  EXPECT_TRUE(isEmpty());
  m_options.chooseRemote = [&](const RemoteContents& contents) {
    server.stop(); // between listing and fetching
    return chosenFiles(contents, {});
  };
  EXPECT_NE(problem("box:job").find("cannot be reached"), std::string::npos);
  EXPECT_TRUE(isEmpty());
}

TEST_F(RemoteTraces, ASilentRemoteIsToldAndCancelEndsIt) {
  RANKSCOPE_SKIP_WITHOUT(!test::programPath("rclone").empty(), test::kNoRclone);
  const SilentServer server;
  ASSERT_NE(server.port(), 0);
  giveS3Keys();
  m_progress = std::make_unique<Progress>();
  Result<std::shared_ptr<const TraceSet>> loaded{nullptr};
  std::thread load([&] {
    loaded = loadJob({"s3://b/job?endpoint=http://127.0.0.1:" + std::to_string(server.port())}, m_options,
                     *m_progress);
  });
  const auto later = [] { return FetchProgress::Clock::now() + std::chrono::seconds(30); };
  while (!m_fetched.silence(later())) std::this_thread::yield();
  EXPECT_EQ(m_fetched.silence(later())->remote, "s3://b/job");
  EXPECT_GE(m_fetched.silence(later())->seconds, 3);
  m_progress->cancel = true;
  load.join();
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::Cancelled);
  EXPECT_FALSE(m_fetched.silence(later()));
}

TEST_F(RemoteTraces, APasswordIsNotShownThoughItMayBeAPath) {
  RANKSCOPE_SKIP_WITHOUT(!test::programPath("rclone").empty(), test::kNoRclone);
  const std::string said = problem("user:secretword@host/path");
  EXPECT_EQ(said.find("secretword"), std::string::npos) << said;
  EXPECT_NE(said.find("'user' is not among the remotes"), std::string::npos) << said;
}

TEST_F(RemoteTraces, RanksArriveWhileOthersAreOnTheirWay) {
  RANKSCOPE_SKIP_WITHOUT(!test::programPath("rclone").empty(), test::kNoRclone);
  RANKSCOPE_SKIP_WITHOUT(!test::s3rverPath().empty(), test::kNoS3rver);
  const RemoteServer server = RemoteServer::s3(m_folder.path() / "s3");
  ASSERT_EQ(test::runRclone({"copy", m_job.string(), test::s3Remote(server.port(), "job")}), 0);
  giveS3Keys();
  m_environment.set("RCLONE_TRANSFERS", "1"); // one after the other
  Progress progress;
  std::size_t fewest = 8;
  const auto loaded = loadJob(
      {test::s3Address(server.port(), "job")}, m_options, progress,
      [&](const std::shared_ptr<const TraceSet>& set) { fewest = std::min(fewest, set->ranks().size()); });
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_LT(fewest, 8U);
  EXPECT_EQ((*loaded)->ranks().size(), 8U);
}

// Also those that are compressed: each is unpacked when it is here.
TEST_F(RemoteTraces, CompressedRanksArriveOneByOne) {
  RANKSCOPE_SKIP_WITHOUT(!test::programPath("rclone").empty(), test::kNoRclone);
  RANKSCOPE_SKIP_WITHOUT(!test::s3rverPath().empty(), test::kNoS3rver);
  const fs::path packed = m_folder.path() / "packed";
  fs::create_directory(packed);
  for (const test::ArchiveMember& rank : test::membersOf(m_job))
    test::writeCompressed(packed / (rank.name + ".zst"), rank.text);
  const RemoteServer server = RemoteServer::s3(m_folder.path() / "s3");
  ASSERT_EQ(test::runRclone({"copy", packed.string(), test::s3Remote(server.port(), "packed")}), 0);
  giveS3Keys();
  m_environment.set("RCLONE_TRANSFERS", "1"); // one after the other
  const std::string whole = tablesOf(local());
  for (int i = 0; i < 2; ++i) { // the second time all are here
    Progress progress;
    std::size_t fewest = 8;
    const auto loaded = loadJob(
        {test::s3Address(server.port(), "packed")}, m_options, progress,
        [&](const std::shared_ptr<const TraceSet>& set) { fewest = std::min(fewest, set->ranks().size()); });
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_LT(fewest, 8U);
    EXPECT_EQ(tablesOf(*loaded), whole);
    EXPECT_EQ(shownPath((*loaded)->files().front().path).find("s3://"), 0U);
  }
}

TEST_F(RemoteTraces, AnArchiveOfARemoteOpensAsItsFolder) {
  RANKSCOPE_SKIP_WITHOUT(!test::programPath("rclone").empty(), test::kNoRclone);
  const fs::path served = m_folder.path() / "served";
  fs::create_directory(served);
  test::writeArchive(served / "job.tar.gz", test::membersOf(m_job));
  const RemoteServer server = RemoteServer::rclone("webdav", served);
  ASSERT_NE(server.port(), 0);
  // A remote of rclone's configuration.
  const fs::path configuration = m_folder.path() / "home/.config/rclone";
  fs::create_directories(configuration);
  std::ofstream(configuration / "rclone.conf")
      << "[box]\ntype = webdav\nvendor = other\nurl = http://127.0.0.1:" << server.port() << "\n";
  const auto loaded = load("box:");
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(tablesOf(*loaded), tablesOf(local()));
  EXPECT_NE(problem("box:none").find("not found"), std::string::npos);
  EXPECT_NE(problem("crate:job").find("rclone listremotes"), std::string::npos);
}

TEST_F(RemoteTraces, AJobOnAnotherMachineOpensBySftp) {
  RANKSCOPE_SKIP_WITHOUT(!test::programPath("rclone").empty(), test::kNoRclone);
  RANKSCOPE_SKIP_WITHOUT(!test::programPath("ssh-keygen").empty(), "no ssh-keygen is installed");
  const fs::path ssh = m_folder.path() / "home/.ssh";
  fs::create_directories(ssh);
  const std::string host = m_folder / "hostkey";
  for (const std::string& key : {(ssh / "id_ed25519").string(), host})
    ASSERT_EQ(std::system(("ssh-keygen -q -t ed25519 -N '' -f '" + key + "'").c_str()), 0);
  const RemoteServer server = RemoteServer::rclone(
      "sftp", m_folder.path(), {"--key", host, "--authorized-keys", (ssh / "id_ed25519.pub").string()});
  ASSERT_NE(server.port(), 0);
  const std::string address = "sftp://me@127.0.0.1:" + std::to_string(server.port()) + "/job";
  std::ofstream(ssh / "known_hosts") << "";
  EXPECT_NE(problem(address).find("key of this host is not known"), std::string::npos);
  std::string key = textOf(host + ".pub");
  key.resize(key.find(' ', key.find(' ') + 1));
  std::ofstream(ssh / "known_hosts") << "[127.0.0.1]:" << server.port() << " " << key << "\n";
  const auto loaded = load(address);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(tablesOf(*loaded), tablesOf(local()));
}

TEST_F(RemoteTraces, AVariableThatBreaksRcloneIsNamed) {
  RANKSCOPE_SKIP_WITHOUT(!test::programPath("rclone").empty(), test::kNoRclone);
  giveS3Keys();
  m_environment.set("AWS_CA_BUNDLE", m_folder / "none.crt");
  const std::string said = problem("s3://bucket/x?endpoint=http://127.0.0.1:9");
  EXPECT_TRUE(said.find("AWS_CA_BUNDLE") != std::string::npos ||
              said.find("cannot be reached") != std::string::npos)
      << said; // newer ones can use it
}

} // namespace rankscope
