// SPDX-License-Identifier: GPL-3.0-or-later
// Lines that rclone 1.60.1 wrote, and hostile ones.
#include "core/io/remote/rclone_output.h"

#include <array>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

const RemoteName kS3{
    RemoteStore::S3, "s3://b/p", ":s3,env_auth=true:b/p", "p", {{"AWS_SECRET_ACCESS_KEY", "hidden"}}};

std::string said(const char* line, const RemoteName& remote = kS3) {
  const std::array<std::string, 1> lines{line};
  return remoteError(remote, lines).text();
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(RcloneOutput, aListingIsReadLineByLine) {
  EXPECT_EQ(
      listedFile(
          R"~({"Path":"a/rank0.json","Name":"rank0.json","Size":4052632,"ModTime":"2026-11-23T09:55:22Z","IsDir":false},)~"),
      (RemoteFile{"a/rank0.json", 4052632, "2026-11-23T09:55:22Z"}));
  EXPECT_EQ(listedFile(R"~({"Path":"\u00e4 \"b\".json","Size":-1,"IsDir":false})~"),
            (RemoteFile{"\xC3\xA4 \"b\".json", 0, ""}));
  for (const char* const line : {"[", "]", "", "{", R"~({"Path":"d","IsDir":true})~", R"~({"Size":1})~",
                                 R"~({"Path":7})~", R"~({"Path":"x")~", "}{"})
    EXPECT_EQ(listedFile(line), std::nullopt) << line;
}

TEST(RcloneOutput, namesThatLeaveTheFolderAreRefused) {
  for (const char* const name :
       {"../x", "a/../x", "/x", "a//x", ".", "a/.", "..", "", "a/", "a\nb", "a\tb", "\x7f"})
    EXPECT_FALSE(nameProblem(name).empty()) << name;
  for (const char* const name : {"x", "a/b.json", "..x", "a b", "\xC3\xA4", "-x", "a:b", "x..", "#x", "a\\b"})
    EXPECT_TRUE(nameProblem(name).empty()) << name;
  EXPECT_FALSE(nameProblem(std::string(256, 'a')).empty());
}

TEST(RcloneOutput, theLogNamesWholeFilesAndFigures) {
  const CopyLine copied = copyLine(
      R"~({"level":"info","msg":"Copied (new)","object":"a/rank0.json","objectType":"*s3.Object"})~");
  EXPECT_EQ(copied.copied, "a/rank0.json");
  EXPECT_TRUE(copied.problem.empty());
  EXPECT_EQ(copyLine(R"~({"level":"info","msg":"Multi-thread Copied (new)","object":"x"})~").copied, "x");
  const CopyLine stats = copyLine(
      R"~({"level":"info","msg":"Transferred","stats":{"bytes":5097112,"speed":3398462.27,"eta":null}})~");
  EXPECT_TRUE(stats.stats);
  EXPECT_EQ(stats.bytes, 5097112U);
  EXPECT_EQ(stats.bytesPerSecond, 3398462U);
  EXPECT_EQ(copyLine(R"~({"level":"error","msg":"Failed to copy: disk","object":"x"})~").problem,
            "Failed to copy: disk");
  EXPECT_TRUE(copyLine(R"~({"level":"warning","msg":"Config file \"/c\" not found - using defaults"})~")
                  .problem.empty());
  EXPECT_EQ(copyLine(R"~({"stats":{"bytes":-5,"speed":1e300}})~").bytes, 0U);
}

TEST(RcloneOutput, itsErrorsAreSaidInPlainWords) {
  const RemoteName google{RemoteStore::GoogleCloud, "gs://b", ":gcs:b", "b", {}};
  const RemoteName azure{RemoteStore::AzureBlob, "az://a/c", ":azureblob:c", "c", {}};
  const RemoteName sftp{RemoteStore::Sftp, "sftp://h/p", ":sftp:p", "p", {}};
  EXPECT_TRUE(has(said("2026/11/23 09:55:25 Failed to lsjson: error in ListJSON: NoCredentialProviders: no "
                       "valid providers in chain"),
                  "s3://b/p: no credentials: set AWS_ACCESS_KEY_ID"));
  EXPECT_TRUE(has(
      said("Failed to create file system for \":gcs:b\": google: could not find default credentials. See x",
           google),
      "GOOGLE_APPLICATION_CREDENTIALS"));
  EXPECT_TRUE(has(said("no authentication method configured", azure), "RCLONE_AZUREBLOB_KEY"));
  EXPECT_TRUE(has(said("couldn't connect to ssh-agent: SSH agent requested", sftp), "ssh-add"));
  EXPECT_TRUE(
      has(said("ssh: handshake failed: knownhosts: key is unknown", sftp), "key of this host is not known"));
  EXPECT_TRUE(
      has(said("NewFs: couldn't connect SSH: ssh: handshake failed: ssh: unable to authenticate", sftp),
          "access denied"));
  EXPECT_TRUE(
      has(said("InvalidAccessKeyId: The AWS Access Key Id you provided\n\tstatus code: 403, request id: "),
          "access denied"));
  EXPECT_TRUE(
      has(said("2026/11/23 09:55:24 Failed to lsjson: error in ListJSON: directory not found"), "not found"));
  EXPECT_TRUE(has(said("didn't find section in config file"), "no remote of this name"));
  EXPECT_TRUE(has(said("dial tcp 127.0.0.1:4571: connect: connection refused"), "cannot be reached"));
  EXPECT_TRUE(has(said("write /c/x: no space left on device"), "disk of the cache folder is full"));
  EXPECT_TRUE(has(said("LoadCustomCABundleError: unable to load custom CA bundle"), "unset that variable"));
  EXPECT_TRUE(has(said("something else"), "rclone failed (rclone: something else)"));
  EXPECT_TRUE(has(rcloneMissing("s3://b").text(), "apt install rclone"));
}

// The libraries of rclone have words of their own for each.
TEST(RcloneOutput, aMissingConnectionIsSaidInOneSentenceWithoutQuotes) {
  const RemoteName azure{RemoteStore::AzureBlob, "az://a/c", ":azureblob:c", "c", {}};
  const std::string none =
      said("2026/11/23 20:58:42 Failed to create file system for \":azureblob:c\": -> "
           "github.com/Azure/azure-pipeline-go/pipeline.NewError, error.go:157\nHTTP request failed\n\nHead "
           "\"https://a.blob.core.windows.net/c?timeout=31536001\": dial tcp: lookup "
           "a.blob.core.windows.net on 10.255.255.53:53: no such host",
           azure);
  EXPECT_EQ(none, "az://a/c: cannot be reached: no address is known for a.blob.core.windows.net: check the "
                  "name and the network; what is whole stays; open again to go on");
  EXPECT_TRUE(has(said("Get \"http://127.0.0.1:9/b\": dial tcp 127.0.0.1:9: connect: connection refused"),
                  "nothing answers at 127.0.0.1:9: check"));
  EXPECT_TRUE(has(said("read tcp 127.0.0.1:4->127.0.0.1:9: i/o timeout"), "15 s to connect, 20 s for each"));
  EXPECT_TRUE(has(said("dial tcp 10.0.0.1:443: connect: no route to host"), "no way to 10.0.0.1:443"));
  for (const char* const line : {"dial tcp: lookup h on 1.2.3.4:53: no such host", "x: i/o timeout"})
    EXPECT_FALSE(has(said(line), "rclone:")) << said(line);
  EXPECT_EQ(
      noAnswer(kS3, std::chrono::seconds(60)).text(),
      "s3://b/p: no answer for 60 s: check the address and the network; what is whole stays; open again "
      "to go on");
}

TEST(RcloneOutput, whatIsDoneGrowsAlsoWhereNoBytesArrive) {
  const auto done = [](const char* stats) {
    return copyLine(std::string(R"~({"level":"info","msg":"x","stats":{)~") + stats + "}}").done;
  };
  EXPECT_EQ(done(R"~("bytes":5,"checks":0)~"), done(R"~("bytes":5,"checks":0,"elapsedTime":9)~"));
  EXPECT_LT(done(R"~("bytes":5,"checks":0)~"), done(R"~("bytes":5,"checks":1)~"));
}

TEST(RcloneOutput, messagesCarryNoCredentials) {
  const std::string text =
      said("Failed to open: Get \"http://h/b?X-Amz-Signature=abcdef&x=1\": hidden, :s3,env_auth=true:b/p");
  EXPECT_FALSE(has(text, "Signature")) << text;
  EXPECT_FALSE(has(text, "hidden")) << text;
  EXPECT_FALSE(has(text, "env_auth")) << text;
  EXPECT_LT(said(std::string(100000, 'x').c_str()).size(), 500U);
}

} // namespace rankscope
