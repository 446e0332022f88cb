// SPDX-License-Identifier: GPL-3.0-or-later
// Exports that nobody should trust: damaged, hostile, with secrets in them. And what NCCL's payloads give.
// Covers core/io/nsys/nsys_nccl and core/io/nsys/nsys_payload.
#include "core/io/load/trace_loader.h"
#include "core/io/nsys/nsys_payload.h"
#include "tests/support/mutation.h"
#include "tests/support/nsys_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/cache/cached_job.h"
#include "tests/unit/io/opened_trace.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope {
namespace {

using test::NsysFile;
using test::sqlText;
using test::TemporaryFolder;

constexpr std::int64_t kUtc = 1'700'000'000'000'000'000;
constexpr std::string_view kSecret = "planted-token-7f3a";

// Two ranks with all kinds of rows.
void fill(NsysFile& file) {
  file.session(kUtc, 12345, "node-a");
  for (std::int64_t pid = 100; pid < 102; ++pid) {
    const std::int64_t thread = NsysFile::thread(pid, pid);
    const std::int64_t process = NsysFile::process(pid);
    for (std::int64_t i = 0; i < 30; ++i) {
      const std::int64_t at = 1000 * i;
      file.range(thread, at, at + 900, "step_" + std::to_string(i));
      file.range(thread, at + 10, at + 800, "aten::mm, seq = " + std::to_string(i) + ", sizes = [[2, 2]]");
      file.call(thread, at + 100, at + 200, "cudaLaunchKernel_v7000", 3 * i + 1);
      file.call(thread, at + 200, at + 250, "cudaStreamSynchronize_v3020", 3 * i + 2);
      file.kernel(process, pid - 100, 7, at + 300, at + 400, "gemm", 3 * i + 1);
      file.copy(process, pid - 100, 8, at + 400, at + 450, 1 << 20, 3 * i + 3);
      file.run("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (" + std::to_string(at + 210) + ", " +
               std::to_string(at + 240) + ", 0, 1, NULL, 7, " + std::to_string(3 * i + 2) + ", " +
               std::to_string(process) + ", 3, 3, 4294967295, NULL)");
    }
  }
}

// Opens a file and asks for everything; what comes of it does not matter.
void openAll(const std::string& path, bool tables) {
  Progress progress;
  const auto loaded = loadTraces({path}, {2, std::nullopt}, progress);
  if (!loaded) return;
  for (const RankEntry& entry : (*loaded)->ranks()) {
    const std::size_t count = entry.trace->events.size();
    for (std::size_t e = 0; e < count; e += count / 5 + 1)
      static_cast<void>(entry.details->fields(entry.trace->events.source[EventIndex(e)]));
  }
  if (tables) static_cast<void>(test::tablesOf(*loaded));
}

bool holds(const std::filesystem::path& folder, std::string_view text) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && test::contentOf(entry.path()).find(text) != std::string::npos) return true;
  }
  return false;
}

// A payload as nsys exports it: header and fields.
std::string payload(std::uint64_t schema, std::initializer_list<std::pair<std::uint64_t, int>> fields) {
  std::string body;
  const auto put = [](std::string& to, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>((value >> (8 * i)) & 0xff);
  };
  for (const auto& [value, bytes] : fields) put(body, value, bytes);
  std::string blob;
  put(blob, 1, 8);
  put(blob, schema, 8);
  put(blob, body.size(), 8);
  put(blob, 32, 8);
  return blob + body;
}

std::string hexText(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

void addNccl(NsysFile& file, std::int64_t thread, std::int64_t start, std::int64_t end, std::string_view name,
             const std::string& blob) {
  file.run("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, binaryData) VALUES (" +
           std::to_string(start) + ", " + std::to_string(end) + ", 59, " + sqlText(name) + ", " +
           std::to_string(thread) + ", 1, " + (blob.empty() ? "NULL" : "x'" + hexText(blob) + "'") + ")");
}

} // namespace

// RANKSCOPE_NSYS_MUTATIONS sets how many; tests/nightly.sh asks for all.
TEST(NsysTrust, damagedFilesNeitherCrashNorHang) {
  const TemporaryFolder folder;
  {
    NsysFile file(folder / "whole.sqlite");
    fill(file);
    file.run("PRAGMA page_size = 1024; VACUUM");
  }
  const std::string whole = test::contentOf(folder / "whole.sqlite");
  const char* const asked = std::getenv("RANKSCOPE_NSYS_MUTATIONS");
  const int count = asked != nullptr ? std::atoi(asked) : 150;
  test::Chance chance(29);
  for (int i = 0; i < count; ++i) {
    test::write(folder / "damaged.sqlite", test::mutated(whole, chance));
    openAll(folder / "damaged.sqlite", false);
  }
}

TEST(NsysTrust, aHostileSchemaDoesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder / "hostile.sqlite";
  {
    NsysFile file(path);
    fill(file);
    const std::string endless = " AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                                "SELECT x AS start, x AS end, x AS globalTid, x AS nameId FROM c";
    file.run("DROP TABLE OSRT_API; CREATE VIEW OSRT_API" + endless);
    file.run("CREATE VIEW CUDNN_EVENTS" + endless);
    file.run("CREATE TABLE PROFILER_OVERHEAD (start INTEGER PRIMARY KEY, end INTEGER, globalTid INTEGER, "
             "nameId INTEGER) WITHOUT ROWID; INSERT INTO PROFILER_OVERHEAD VALUES (1, 2, 3, 4)");
    file.run("CREATE TABLE CUBLAS_EVENTS (rowid TEXT, _rowid_ TEXT, oid TEXT, start INTEGER, end INTEGER); "
             "INSERT INTO CUBLAS_EVENTS VALUES ('a', 'b', 'c', 1, 2)");
    file.run(
        "CREATE TABLE CUDA_HOST_CALLBACK (start INTEGER, end INTEGER AS (length(zeroblob(start))) VIRTUAL, "
        "globalTid INTEGER, nameId INTEGER); "
        "INSERT INTO CUDA_HOST_CALLBACK (start, globalTid, nameId) VALUES (900000000, 3, 4)");
    file.run("CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN SELECT randomblob(1000000000); END");
    file.run("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES (1, 2, 59, "
             "zeroblob(9000000), " +
             std::to_string(NsysFile::thread(100, 100)) + "), (1, 2, 59, hex(zeroblob(3000000)), " +
             std::to_string(NsysFile::thread(100, 100)) + ")");
    file.run(
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (rowid, start, end, deviceId, contextId, streamId, value, "
        "bytes) "
        "VALUES (9223372036854775807, 1, 2, 0, 1, 7, 0, 8), (-9223372036854775808, 1, 2, 0, 1, 7, 0, 8)");
    // Times and numbers at the ends of what 64 bits hold; the last one begins before all others and stays
    // open.
    const std::string thread = std::to_string(NsysFile::thread(100, 100));
    file.run("INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid) VALUES (-9223372036854775808, "
             "9223372036854775807, 59, -1), (9223372036854775807, -9223372036854775808, 59, 5), "
             "(-2305843009213693950, NULL, 59, " +
             thread + ")");
    file.run(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, "
        "globalPid, demangledName, shortName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, "
        "blockZ, "
        "staticSharedMemory, dynamicSharedMemory) SELECT -2305843009213693950, 9223372036854775807, "
        "9223372036854775807, -1, -1, -1, globalPid, 1, 1, 9223372036854775807, 9223372036854775807, "
        "9223372036854775807, 1, 9223372036854775807, 1, 1, -5, -5 FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1");
  }
  const auto set = test::loadJob(path);
  ASSERT_TRUE(set);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < set->names().size(); ++i)
    longest = std::max(longest, set->names()[NameId(i)].size());
  EXPECT_LE(longest, std::size_t{1} << 16);
  std::uint64_t events = 0;
  for (const RankEntry& entry : set->ranks()) events += entry.trace->events.size();
  EXPECT_EQ(events, 2 * 30 * 7u + 3);
}

TEST(NsysTrust, secretsOfTheEnvironmentReachNothing) {
  const TemporaryFolder folder;
  const std::string path = folder / "trace_rank0.sqlite";
  const std::string secret(kSecret);
  {
    NsysFile file(path);
    fill(file);
    file.capture("PROCESS_0:ENVIRONMENT_VARIABLE", "WANDB_API_KEY=\"" + secret + "\"");
    file.capture("PROCESS_0:ENVIRONMENT_VARIABLE", "RANK=\"" + secret + "\"");
    file.run("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('DeviceEnvironment', 0, " +
             sqlText("A=1;HF_TOKEN=" + secret + ";RANK=0") + ")");
    file.string("PATH=/bin;WANDB_API_KEY=" + secret);
    file.run("CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INTEGER)");
    file.run("INSERT INTO ProcessStreams VALUES (1, 1, " + std::to_string(file.string("stdout: " + secret)) +
             ")");
  }
  EXPECT_TRUE(holds(folder.path(), kSecret)); // it is there to be found
  const TemporaryFolder outputs;
  Progress progress;
  LoadOptions options;
  options.cache.emplace();
  options.cache->folder = outputs / "cache";
  options.cache->minTextBytes = 0;
  const auto loaded = loadTraces({path}, options, progress);
  ASSERT_TRUE(loaded);
  ASSERT_TRUE(writeTraceCache(**loaded, *options.cache));
  for (const auto& [name, text] : test::tablesOf(*loaded)) test::write(outputs / (name + ".csv"), text);
  std::string details;
  for (const RankEntry& entry : (*loaded)->ranks()) {
    for (EventIndex e(0); e.value < entry.trace->events.size(); ++e.value) {
      const auto fields = entry.details->fields(entry.trace->events.source[e]);
      ASSERT_TRUE(fields);
      for (const EventField& field : *fields) details += field.key + field.value;
    }
  }
  test::write(outputs / "details", details);
  EXPECT_FALSE(holds(outputs.path(), kSecret));
}

TEST(NsysTrust, aCachedJobIsTheSame) {
  const TemporaryFolder folder;
  {
    NsysFile file(folder / "both.sqlite");
    fill(file);
    file.run("INSERT INTO OSRT_API VALUES (5, 6, 27, " + std::to_string(NsysFile::thread(100, 100)) + ", " +
             std::to_string(file.string("poll")) + ", 0, 0, 0, NULL)");
  }
  const TemporaryFolder cache;
  LoadOptions options;
  options.cache.emplace();
  options.cache->folder = cache.path().string();
  options.cache->minTextBytes = 0;
  Progress progress;
  const auto read = loadTraces({folder.path().string()}, options, progress);
  ASSERT_TRUE(read);
  ASSERT_TRUE(writeTraceCache(**read, *options.cache));
  const auto again = loadTraces({folder.path().string()}, options, progress);
  ASSERT_TRUE(again);
  EXPECT_TRUE((*again)->origin().cached);
  EXPECT_EQ(test::tablesOf(*again), test::tablesOf(*read));
  const RankEntry& rank = (*again)->ranks().front();
  EXPECT_TRUE(rank.details->fields(rank.trace->events.source[EventIndex(0)]));
}

TEST(NsysNccl, payloadsGiveKernelsTheirOperationBytesAndCommunicator) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kInit = (1 << 24) + 11, kAllGather = (1 << 24) + 4, kSend = (1 << 24) + 9;
  const std::string path = folder / "report.sqlite";
  {
    NsysFile file(path);
    file.session(kUtc, 0, "node-a");
    file.run("CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, "
             "flags INTEGER, "
             "type INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER)");
    const auto entry = [&](std::uint64_t schema, int index, int type, const char* name, int offset) {
      file.run("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, " + std::to_string(schema) + ", " +
               std::to_string(index) + ", NULL, " + std::to_string(type) + ", " + sqlText(name) +
               ", NULL, NULL, " + (offset == 0 ? "NULL" : std::to_string(offset)) + ")");
    };
    for (int repeated = 0; repeated < 2; ++repeated) { // once per process
      entry(kInit, 0, 18, "NCCL communicator ID", 0);
      entry(kInit, 1, 5, "No. of ranks", 8);
      entry(kInit, 2, 5, "Rank", 12);
      entry(kAllGather, 0, 18, "NCCL communicator ID", 0);
      entry(kAllGather, 1, 22, "Message size [bytes]", 8);
      entry(kSend, 0, 18, "NCCL communicator ID", 0);
      entry(kSend, 1, 22, "Message size [bytes]", 8);
      entry(kSend, 2, 5, "Peer rank", 16);
    }
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      // Devices are in the other order than ranks: NCCL knows.
      const std::int64_t pid = 200 + rank;
      const std::int64_t thread = NsysFile::thread(pid, pid);
      const auto number = static_cast<std::uint64_t>(rank);
      addNccl(file, thread, 10, 90, "ncclCommInitRankConfig",
              payload(kInit, {{0xabcdef, 8}, {2, 4}, {number, 4}}));
      addNccl(file, thread, 100, 200, "ncclAllGather", payload(kAllGather, {{0xabcdef, 8}, {4096, 8}}));
      file.call(thread, 120, 150, "cudaLaunchKernelExC_v11060", 5);
      file.kernel(NsysFile::process(pid), 1 - rank, 20, 200, 300, "ncclDevKernel_AllGather_RING_LL(args)", 5);
      addNccl(file, thread, 400, 410, "ncclGroupStart", {});
      addNccl(file, thread, 420, 430, "ncclSend", payload(kSend, {{0xabcdef, 8}, {100, 8}, {1 - number, 4}}));
      addNccl(file, thread, 440, 450, "ncclRecv", payload(kSend, {{0xabcdef, 8}, {300, 8}, {1 - number, 4}}));
      addNccl(file, thread, 460, 500, "ncclGroupEnd", {});
      file.call(thread, 470, 480, "cudaLaunchKernelExC_v11060", 6);
      file.kernel(NsysFile::process(pid), 1 - rank, 20, 500, 600, "ncclDevKernel_SendRecv(args)", 6);
    }
  }
  const auto set = test::loadJob(path);
  ASSERT_TRUE(set);
  ASSERT_EQ(set->ranks().size(), 2u);
  EXPECT_EQ(set->files().front().rankFrom, "nccl");
  for (int rank = 0; rank < 2; ++rank) {
    const RankTrace& trace = *set->ranks()[static_cast<std::size_t>(rank)].trace;
    EXPECT_EQ(trace.devices, std::vector<int>{1 - rank});
    ASSERT_EQ(trace.collectives.size(), 2u);
    const CollectiveDetail& gather = trace.collectives[0];
    EXPECT_EQ(set->names()[gather.operation], "allgather");
    EXPECT_EQ(set->names()[gather.dtype], "Byte");
    EXPECT_EQ(gather.inElements, 4096);
    EXPECT_EQ(gather.outElements, 8192);
    EXPECT_EQ(gather.groupSize, 2);
    EXPECT_EQ(gather.commsId, 0xabcdefU);
    EXPECT_EQ(gather.sequence, 1);
    EXPECT_EQ(set->names()[gather.groupName], "0xabcdef");
    const CollectiveDetail& exchange = trace.collectives[1];
    EXPECT_EQ(set->names()[exchange.operation], "sendrecv");
    EXPECT_EQ(exchange.inElements, 100);
    EXPECT_EQ(exchange.outElements, 300);
  }
}

// The backward pass launches from a thread of its own: operations count by time. One whose communicator began
// before the capture has no number, although its end says how many ranks it has.
TEST(NsysNccl, operationsCountOverThreadsFromTheBeginOfTheirCommunicator) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kInit = (1 << 24) + 11, kDestroy = (1 << 24) + 2, kReduce = (1 << 24) + 5;
  const std::string path = folder / "report.sqlite";
  {
    NsysFile file(path);
    file.session(kUtc, 0, "node-a");
    file.run("CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, "
             "type INTEGER, name TEXT, offset INTEGER)");
    for (const std::uint64_t schema : {kInit, kDestroy})
      file.run("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, " + std::to_string(schema) +
               ", 0, 18, 'NCCL communicator ID', NULL), (1, " + std::to_string(schema) +
               ", 1, 5, 'No. of ranks', 8), (1, " + std::to_string(schema) + ", 2, 5, 'Rank', 12)");
    file.run("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, " + std::to_string(kReduce) +
             ", 0, 18, 'NCCL communicator ID', NULL), (1, " + std::to_string(kReduce) +
             ", 1, 22, 'Message size [bytes]', 8)");
    const std::int64_t main = NsysFile::thread(200, 200), autograd = NsysFile::thread(200, 100);
    addNccl(file, main, 10, 90, "ncclCommInitRank", payload(kInit, {{0xa1, 8}, {4, 4}, {0, 4}}));
    std::int64_t correlation = 1;
    const auto reduce = [&](std::int64_t thread, std::int64_t at, std::uint64_t communicator) {
      addNccl(file, thread, at, at + 50, "ncclAllReduce", payload(kReduce, {{communicator, 8}, {4000, 8}}));
      file.call(thread, at + 10, at + 20, "cudaLaunchKernelExC_v11060", correlation);
      file.kernel(NsysFile::process(200), 0, 20, at + 100, at + 150,
                  "ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)", correlation++);
    };
    reduce(main, 1000, 0xa1);
    reduce(autograd, 2000, 0xa1);
    reduce(main, 3000, 0xa1);
    reduce(main, 4000, 0xb2);
    addNccl(file, main, 9000, 9100, "ncclCommDestroy", payload(kDestroy, {{0xb2, 8}, {2, 4}, {0, 4}}));
  }
  const auto set = test::loadJob(path);
  ASSERT_TRUE(set);
  const RankTrace& trace = *set->ranks().front().trace;
  ASSERT_EQ(trace.collectives.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(trace.collectives[i].sequence, i < 3 ? static_cast<std::int64_t>(i) + 1 : -1);
    EXPECT_EQ(trace.collectives[i].groupSize, i < 3 ? 4 : 2);
    EXPECT_EQ(set->names()[trace.collectives[i].dtype], "Float");
    EXPECT_EQ(trace.collectives[i].inElements, 1000);
  }
}

TEST(NsysNccl, payloadsAreDecodedByFieldNameInAnyForm) {
  PayloadSchemas schemas;
  schemas.add(1, 7, 0, {"Message size [bytes]", 22, 0});
  schemas.add(1, 7, 1, {"Peer rank", 5, 8});
  schemas.add(1, 7, 2, {"Reduction operation", 16777232, 12});
  const std::string blob = payload(7, {{1234, 8}, {3, 4}, {0, 4}});
  const auto plain = schemas.decode(1, blob);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->bytes, 1234);
  EXPECT_EQ(plain->peer, 3);
  EXPECT_FALSE(plain->communicator);
  const auto hex = schemas.decode(1, hexText(blob));
  ASSERT_TRUE(hex);
  EXPECT_EQ(hex->bytes, 1234);
  for (std::size_t length = 0; length < blob.size(); ++length)
    static_cast<void>(schemas.decode(1, std::string_view(blob).substr(0, length)));
  test::Chance chance(7);
  for (int i = 0; i < 2000; ++i) static_cast<void>(schemas.decode(1, test::mutated(blob, chance)));
  EXPECT_EQ(ncclVolume("ncclReduceScatter", 10, 4).in, 40);
  EXPECT_EQ(ncclVolume("ncclReduceScatter", 10, 4).out, 10);
  EXPECT_EQ(ncclVolume("AllReduce", 10, 4).in, 10);
  EXPECT_EQ(ncclVolume("ncclAlltoAll", INT64_MAX, 4).in, -1);
  EXPECT_TRUE(ncclVolume("ncclCommDestroy", 1, 1).operation.empty());
}

TEST(NsysNccl, kernelsThatReduceSayTheirType) {
  const auto dtypeOf = [](std::string_view kernel) { return std::string(ncclTypeOf(kernel).dtype); };
  EXPECT_EQ(dtypeOf("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            "BFloat16");
  EXPECT_EQ(dtypeOf("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(args)"), "Float");
  EXPECT_EQ(dtypeOf("ncclDevKernel_AllReduce_MinMax_u64_TREE_LL(args)"), "Long");
  EXPECT_EQ(dtypeOf("ncclDevKernel_AllReduce_Sum_f8e4m3_RING_LL(args)"), "Float8_e4m3fn");
  EXPECT_EQ(dtypeOf("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)"),
            "Float");
  EXPECT_EQ(dtypeOf("ncclKernel_AllReduce_TREE_LL_Sum_half(ncclDevComm*)"), "Half");
  EXPECT_EQ(dtypeOf("ncclKernel_AllReduce_RING_LL_Sum___nv_bfloat16(ncclDevComm*)"), "BFloat16");
  EXPECT_EQ(dtypeOf("ncclKernel_Reduce_RING_LL_Sum_int64_t(ncclDevComm*)"), "Long");
  // Kernels that move bytes for every type.
  EXPECT_EQ(dtypeOf("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*)"), "");
  EXPECT_EQ(dtypeOf("ncclDevKernel_Broadcast_RING_LL(args)"), "");
  EXPECT_EQ(dtypeOf("ncclDevKernel_Generic_4(args)"), "");
  EXPECT_EQ(dtypeOf("void AllReduce_Sum_f32(int)"), "");
  EXPECT_EQ(ncclTypeOf("ncclDevKernel_AllReduce_Sum_f64_RING_LL(args)").bytes, 8);
}

} // namespace rankscope
