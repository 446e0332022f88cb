// SPDX-License-Identifier: GPL-3.0-or-later
// What users type for a remote, what rclone is told, and what must not be shown.
#include "core/io/remote/remote_credentials.h"
#include "core/io/remote/remote_name.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

const RemoteSurroundings kAround{{"box", "my drive"}, true, "", "/u/.ssh/known_hosts"};

RemoteName named(std::string_view typed, const RemoteSurroundings& around = kAround) {
  EXPECT_TRUE(looksRemote(typed)) << typed;
  const auto name = remoteNameOf(typed, around);
  if (name) return *name;
  ADD_FAILURE() << typed << ": " << name.error().text();
  return {};
}

std::string problem(std::string_view typed) {
  const auto name = remoteNameOf(typed, kAround);
  EXPECT_FALSE(name) << typed;
  return name ? std::string() : name.error().text();
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace

TEST(RemoteName, S3AddressesBecomeRemotesOfRclone) {
  EXPECT_EQ(named("s3://bucket/runs/7").remote, ":s3,env_auth=true,provider=AWS:bucket/runs/7");
  EXPECT_EQ(named("s3://bucket").remote, ":s3,env_auth=true,provider=AWS:bucket");
  EXPECT_EQ(named("S3://bucket/runs/").remote, ":s3,env_auth=true,provider=AWS:bucket/runs");
  const RemoteName other = named("s3://b/p?endpoint=http://127.0.0.1:4568&region=eu-1&profile=me");
  EXPECT_EQ(other.remote,
            ":s3,env_auth=true,provider=Other,endpoint=\"http://127.0.0.1:4568\",region=eu-1,profile=me,"
            "force_path_style=true:b/p");
  EXPECT_EQ(other.shown, "s3://b/p?endpoint=http://127.0.0.1:4568&region=eu-1&profile=me");
  EXPECT_EQ(named("s3://b/p?provider=Minio&endpoint=h%3A9000").remote,
            ":s3,env_auth=true,provider=Minio,endpoint=\"h:9000\",force_path_style=true:b/p");
  EXPECT_EQ(named("s3://open/p?anonymous=true").remote, ":s3,env_auth=false,provider=AWS:open/p");
  EXPECT_EQ(named("s3://bucket/a,b:c \"d\"").remote, ":s3,env_auth=true,provider=AWS:bucket/a,b:c \"d\"");
  EXPECT_EQ(named("s3://bucket/what?/x").remote, ":s3,env_auth=true,provider=AWS:bucket/what?/x");
  EXPECT_EQ(named("s3://b/p?profile=a\"b,c").remote,
            ":s3,env_auth=true,provider=AWS,profile=\"a\"\"b,c\":b/p");
}

TEST(RemoteName, OtherStoresBecomeTheirs) {
  EXPECT_EQ(named("gs://bucket/p").remote, ":gcs,env_auth=true:bucket/p");
  EXPECT_EQ(named("gs://bucket/p?anonymous=true").remote, ":gcs,anonymous=true:bucket/p");
  for (const char* const azure :
       {"az://account1/container/a/b", "abfss://container@account1.dfs.core.windows.net/a/b",
        "https://account1.blob.core.windows.net/container/a/b"})
    EXPECT_EQ(named(azure).remote, ":azureblob,account=account1,env_auth=true:container/a/b") << azure;
  EXPECT_EQ(named("https://account1.blob.core.windows.net/c/a%20b").remote,
            ":azureblob,account=account1,env_auth=true:c/a b");
  EXPECT_EQ(
      named("sftp://me@host:2222/data/job").remote,
      ":sftp,host=host,user=me,port=2222,known_hosts_file=/u/.ssh/known_hosts,shell_type=none:/data/job");
  EXPECT_EQ(named("sftp://host/~/job").remote,
            ":sftp,host=host,known_hosts_file=/u/.ssh/known_hosts,shell_type=none:job");
  EXPECT_EQ(named("sftp://[::1]:22/").remote,
            ":sftp,host=\"::1\",port=22,known_hosts_file=/u/.ssh/known_hosts,shell_type=none:/");
  EXPECT_TRUE(has(named("sftp://h/p", {{}, false, "/u/.ssh/id_rsa", ""}).remote, "key_file=/u/.ssh/id_rsa"));
}

TEST(RemoteName, ConfiguredRemotesComeBeforeHosts) {
  EXPECT_EQ(named("box:runs/7").remote, "box:runs/7");
  EXPECT_EQ(named("box:/runs/7").remote, "box:/runs/7");
  EXPECT_EQ(named("my drive:runs").remote, "my drive:runs");
  EXPECT_EQ(named("box:").title, "box");
  EXPECT_EQ(named("node7:/data/job").remote,
            ":sftp,host=node7,known_hosts_file=/u/.ssh/known_hosts,shell_type=none:/data/job");
  EXPECT_EQ(named("me@node7:/data/job").remote,
            ":sftp,host=node7,user=me,known_hosts_file=/u/.ssh/known_hosts,shell_type=none:/data/job");
  EXPECT_TRUE(has(problem("nothing:runs"), "rclone listremotes"));
  EXPECT_TRUE(has(problem("rank0:step1.json"), "no such file"));
}

TEST(RemoteName, PathsOfThisMachineAreNone) {
  for (const char* const path :
       {"traces", "/data/job", "./a:b", "a/b:c", "C:\\traces", "C:/traces", "file:///data/job", "-x:y",
        " x:y", ":s3:b", "", "://x", "job.tar.gz", "r\xC3\xA4nk:1"})
    EXPECT_FALSE(looksRemote(path)) << path;
  EXPECT_TRUE(needsConfigured("box:runs"));
  EXPECT_FALSE(needsConfigured("s3://bucket"));
}

TEST(RemoteName, WrongAddressesSayWhatIsWrong) {
  EXPECT_TRUE(has(problem("s3://"), "name of the bucket"));
  EXPECT_TRUE(has(problem("s3://b/p?colour=red"), "no option colour"));
  EXPECT_TRUE(has(problem("gs:///p"), "name of the bucket"));
  EXPECT_TRUE(has(problem("az://Acc/c"), "storage account"));
  EXPECT_TRUE(has(problem("az://account1"), "container"));
  EXPECT_TRUE(has(problem("abfss://account1.dfs.core.windows.net/p"), "container@account"));
  EXPECT_TRUE(has(problem("https://example.org/traces"), "https:// are not opened"));
  EXPECT_TRUE(has(problem("hdfs://node/p"), "s3://, gs://"));
  EXPECT_TRUE(has(problem("sftp://h:port/p"), "sftp://user@host:port/path"));
  EXPECT_TRUE(has(problem("sftp://-oProxyCommand=x/p"), "sftp://user@host:port/path"));
  EXPECT_TRUE(has(problem("s3://b/a\nb"), "line break"));
}

TEST(RemoteName, CredentialsReachTheEnvironmentOnly) {
  const RemoteName s3 =
      named("s3://b/p?access_key_id=AKIAEXAMPLE&secret_access_key=top%2Fsecret&session_token=tok&region=x");
  EXPECT_EQ(s3.secrets, (EnvironmentEntries{{"AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"},
                                            {"AWS_SECRET_ACCESS_KEY", "top/secret"},
                                            {"AWS_SESSION_TOKEN", "tok"}}));
  EXPECT_EQ(s3.shown, "s3://b/p?region=x");
  EXPECT_EQ(s3.remote, ":s3,env_auth=true,provider=AWS,region=x:b/p");
  const RemoteName azure = named("https://account1.blob.core.windows.net/c/job?sv=2022&sig=abc%3D");
  EXPECT_EQ(azure.secrets,
            (EnvironmentEntries{{"RCLONE_AZUREBLOB_SAS_URL",
                                 "https://account1.blob.core.windows.net/c?sv=2022&sig=abc%3D"}}));
  EXPECT_EQ(azure.shown, "https://account1.blob.core.windows.net/c/job");
  EXPECT_FALSE(has(azure.remote, "sig"));
  for (const char* const typed :
       {"sftp://me:secretword@host/p", "s3://KEY:secretword@bucket/p",
        "s3://b/p?passphrase_of_mine_secretword_secretword=1", "s3://b/p?endpoint=http://a:secretword@h",
        "https://example.org/x?sig=secretword", "hdfs://a:secretword@h/p"}) {
    EXPECT_FALSE(has(problem(typed), "secretword")) << typed;
    EXPECT_FALSE(has(withoutCredentials(typed), "secretword")) << withoutCredentials(typed);
  }
  EXPECT_EQ(withoutCredentials("s3://b/p?secret_access_key=x&region=r"), "s3://b/p?region=r");
  EXPECT_EQ(withoutCredentials("/data/a?secret_access_key=x"), "/data/a?secret_access_key=x");
  EXPECT_EQ(withoutCredentials("box:a?b=c"), "box:a?b=c");
}

TEST(RemoteName, CredentialsAreKeptForTheAddressWithoutThem) {
  EXPECT_EQ(keepingCredentials("s3://kept/p?secret_access_key=x&region=r"), "s3://kept/p?region=r");
  EXPECT_EQ(keptCredentials("s3://kept/p?region=r"), (EnvironmentEntries{{"AWS_SECRET_ACCESS_KEY", "x"}}));
  EXPECT_TRUE(keptCredentials("s3://kept/q").empty());
  EXPECT_EQ(keepingCredentials("/data/job"), "/data/job");
}

TEST(RemoteName, TheParentIsTheFolderOfAFile) {
  EXPECT_EQ(parentOf(named("s3://bucket/runs/rank0.json")).remote,
            ":s3,env_auth=true,provider=AWS:bucket/runs");
  EXPECT_EQ(parentOf(named("box:rank0.json")).remote, "box:");
  EXPECT_EQ(parentOf(named("box:/rank0.json")).remote, "box:/");
  EXPECT_EQ(named("s3://bucket/runs/7").title, "7");
  EXPECT_EQ(named("s3://bucket").title, "bucket");
  EXPECT_EQ(named("sftp://host/").title, "host");
}

} // namespace rankscope
