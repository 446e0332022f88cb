// SPDX-License-Identifier: GPL-3.0-or-later
// What users type for a remote, what rclone is told, and what must not be shown.
// Covers core/io/remote/redacted_text and core/io/remote/remote_credentials.
#include "core/io/remote/remote_name.h"

#include "core/io/remote/redacted_text.h"
#include "core/io/remote/remote_credentials.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

// The message stands behind the address.
TEST(RemoteName, AMessageDoesNotRepeatTheAddress) {
  for (const char* const typed :
       {"s3://", "gs://", "az://", "az://account1", "s3://b?colour=red", "s3://b b"})
    EXPECT_FALSE(problem(typed).starts_with(std::string(typed).substr(0, 5))) << problem(typed);
}

// What was typed reaches the check without its credentials: the reason is that of their place all the same.
TEST(RemoteName, CredentialsOfAnEndpointAreRefusedThere) {
  EXPECT_EQ(keepingCredentials("s3://b/x?endpoint=http://key:secret@host:1&region=r"),
            "s3://b/x?endpoint=http://***@host:1&region=r");
  EXPECT_EQ(keepingCredentials("s3://b/x?endpoint=http://key:sec%40ret@host"),
            "s3://b/x?endpoint=http://***@host");
  EXPECT_EQ(keepingCredentials("s3://b/x?endpoint=http://k:secret@h&secret_access_key=secret"),
            "s3://b/x?endpoint=http://***@h&***");
  for (const char* const typed : {"s3://b/x?endpoint=http://key:secret@host:1", "s3://b?endpoint=http://k@h",
                                  "s3://b?endpoint=http%3A%2F%2Fk%3Asecret%40h"})
    EXPECT_EQ(problem(keepingCredentials(typed)), "no credentials belong into the option endpoint") << typed;
}

TEST(RemoteName, AnUnknownOptionIsRefusedThoughItIsHidden) {
  EXPECT_TRUE(
      has(problem(keepingCredentials("s3://b/x?endpont=1")), "no option of that name; there are endpoint"));
  EXPECT_TRUE(has(problem(keepingCredentials("s3://b/x?region=r&endpont=1")), "no option of that name"));
}

TEST(RemoteName, WhatMayBeAPasswordOfNoKnownRemoteIsNotShown) {
  EXPECT_EQ(shownUnresolved("user:secretword@host/path"), "user:***@host/path");
  EXPECT_EQ(shownUnresolved("user:se@cret@host"), "user:***@host");
  EXPECT_EQ(shownUnresolved("me@node7:/data/job"), "me@node7:/data/job");
  EXPECT_EQ(shownUnresolved("sftp://me@host/job@2"), "sftp://me@host/job@2");
  EXPECT_EQ(shownUnresolved("box:runs/7"), "box:runs/7");
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
  EXPECT_EQ(withoutCredentials("sftp:/me:secretword@host/p"), "sftp:/me:***@host/p");
  EXPECT_EQ(withoutCredentials("s3:\\\\KEY:secretword@bucket"), "s3:\\\\KEY:***@bucket");
  EXPECT_EQ(withoutCredentials("u:secretword@h:/x"), "u:***@h:/x");
  EXPECT_EQ(redacted("Failed: \"sftp:/me:secretword@host/p\""), "Failed: \"sftp:/me:***@host/p\"");
  EXPECT_EQ(redacted("a:b@c is a text"), "a:b@c is a text");
  EXPECT_EQ(withoutCredentials("s3://b/p?secret_access_key=x&region=r"), "s3://b/p?region=r");
  EXPECT_EQ(withoutCredentials("/data/a?secret_access_key=x"), "/data/a?***");
  EXPECT_EQ(withoutCredentials("box:a?b=c"), "box:a?b=c");
}

// All address forms of Google Cloud Storage and Azure: no server of theirs is at hand for tests.
TEST(RemoteName, GoogleAndAzureAddressesInAllTheirForms) {
  struct Form {
    std::string_view typed, remote, shown, title;
  };
  const std::vector<Form> forms{
      {"gs://bucket", ":gcs,env_auth=true:bucket", "gs://bucket", "bucket"},
      {"GS://bucket/", ":gcs,env_auth=true:bucket", "gs://bucket", "bucket"},
      {"gs://bucket/runs/7/", ":gcs,env_auth=true:bucket/runs/7", "gs://bucket/runs/7", "7"},
      {"gs://b/run#1/a b.json", ":gcs,env_auth=true:b/run#1/a b.json", "gs://b/run#1/a b.json", "a b.json"},
      {"gs://b/p?anonymous=1", ":gcs,anonymous=true:b/p", "gs://b/p?anonymous=true", "p"},
      {"gs://b/p?anonymous=false", ":gcs,env_auth=true:b/p", "gs://b/p", "p"},
      {"az://account1/c", ":azureblob,account=account1,env_auth=true:c", "az://account1/c", "c"},
      {"az://account1/c/a/b/", ":azureblob,account=account1,env_auth=true:c/a/b", "az://account1/c/a/b", "b"},
      {"abfss://c@account1.dfs.core.windows.net", ":azureblob,account=account1,env_auth=true:c",
       "abfss://c@account1.dfs.core.windows.net", "c"},
      {"abfs://c@Account1.dfs.core.windows.net/a/b", ":azureblob,account=account1,env_auth=true:c/a/b",
       "abfss://c@account1.dfs.core.windows.net/a/b", "b"},
      {"https://account1.blob.core.windows.net/c", ":azureblob,account=account1,env_auth=true:c",
       "https://account1.blob.core.windows.net/c", "c"},
      {"HTTPS://Account1.Blob.Core.Windows.Net/c/a%2Fb/", ":azureblob,account=account1,env_auth=true:c/a/b",
       "https://account1.blob.core.windows.net/c/a/b", "b"},
  };
  for (const Form& form : forms) {
    const RemoteName name = named(form.typed);
    EXPECT_EQ(name.remote, form.remote) << form.typed;
    EXPECT_EQ(name.shown, form.shown) << form.typed;
    EXPECT_EQ(name.title, form.title) << form.typed;
    EXPECT_TRUE(name.secrets.empty()) << form.typed;
    EXPECT_EQ(named(name.shown).remote, form.remote)
        << form.typed; // what lists and files keep opens it again
  }
  EXPECT_EQ(named("gs://b/p").store, RemoteStore::GoogleCloud);
  for (const char* const typed : {"az://account1/c", "abfss://c@account1.dfs.core.windows.net"})
    EXPECT_EQ(named(typed).store, RemoteStore::AzureBlob);
  EXPECT_TRUE(has(problem("gs://b/p?project=x"), "no option project"));
  EXPECT_TRUE(has(problem("az://account1/c?anonymous=true"), "no options"));
  EXPECT_TRUE(has(problem("abfss://@account1.dfs.core.windows.net/p"), "container@account"));
  EXPECT_TRUE(has(problem("https://a.blob.core.windows.net/c"), "storage account"));
  EXPECT_TRUE(has(problem("https://account1.blob.core.windows.net/"), "container"));
}

TEST(RemoteName, FilesOfARemoteAreShownBelowIt) {
  EXPECT_EQ(shownFile(named("s3://b/p?endpoint=http://h:1&region=x"), "a/rank0.json"),
            "s3://b/p/a/rank0.json");
  EXPECT_EQ(shownFile(named("box:"), "rank0.json"), "box:rank0.json");
  EXPECT_EQ(shownFile(named("box:what?x=1"), "rank0.json"), "box:what?x=1/rank0.json");
  EXPECT_EQ(shownFile(named("s3://b/p/rank0.json"), {}), "s3://b/p/rank0.json");
}

// Many forms with a credential where it does not belong, or under a name that is mistyped.
TEST(RemoteName, NoFormOfAnAddressShowsItsCredential) {
  const std::vector<std::string> secrets{"secretword", "se/cretw+ord==", "1234567890", "secret%2Fword%3D",
                                         "secr@etword"};
  const std::vector<std::string> forms{"s3://KEY:{}@bucket/path",
                                       "s3://{}@bucket/path",
                                       "sftp://me:{}@host/path",
                                       "sftp://me%3A{}@host/path",
                                       "sftp://me@host/path?password={}",
                                       "sftp://me@host/path#pass={}",
                                       "gs://me:{}@bucket/p",
                                       "az://account1:{}@container/p",
                                       "az://account1/container/p?sig={}",
                                       "az://account1/c/p&sig={}",
                                       "abfss://c:{}@account1.dfs.core.windows.net/p",
                                       "abfss://c@account1.dfs.core.windows.net/p?sv=1&sig={}",
                                       "https://account1.blob.core.windows.net/c/p#sig={}",
                                       "https://account1.blob.core.windows.net/c/p&sig={}",
                                       "https://me:{}@account1.blob.core.windows.net/c",
                                       "https://example.org/job?X-Amz-Signature={}",
                                       "https://me:{}@example.org/job",
                                       "http://example.org/job?token={}",
                                       "hdfs://a:{}@h/p",
                                       "s3a://b/p?key={}",
                                       "s3://bucket/path?secret={}",
                                       "s3://bucket/path?Secret_Access_Key={}&region=x",
                                       "s3://bucket/path?secret_acces_key={}",
                                       "s3://bucket/path?region=x&secretAccessKey={}",
                                       "s3://bucket/path&secret_access_key={}",
                                       "s3://bucket/path#secret_access_key={}",
                                       "s3://bucket/path,secret_access_key={}",
                                       "s3://bucket/path;secret_access_key={}",
                                       "s3://bucket/path?region=x,secret_access_key={}",
                                       "s3://bucket/path?region=x#secret_access_key={}",
                                       "s3://bucket/path?endpoint=http://k:{}@h",
                                       "s3://bucket/path?endpoint=http://h/?secret={}",
                                       "s3://bucket/path?endpoint=http%3A%2F%2Fk%3A{}%40h",
                                       "s3://bucket/path?&token={}",
                                       ":s3,access_key_id=AKIA,secret_access_key={}:bucket/path",
                                       ":s3,secret_access_key=\"{}\":bucket/path",
                                       ":s3,provider=Other,env_auth=false,session_token={}:b?x",
                                       ":s3,secret_access_key={}:b?region=x",
                                       ":sftp,host=h,user=me,pass={}:path",
                                       ":webdav,url=http://me:{}@h,vendor=other:",
                                       ":azureblob,key={}:c",
                                       "box,secret_access_key={}:path",
                                       "box,sas_url=\"https://a.b?sig={}\":path",
                                       "me:{}@host:/path",
                                       "bucket/path?secret_access_key={}",
                                       "/data/job?token={}",
                                       "AWS_SECRET_ACCESS_KEY={}",
                                       "//me:{}@host:22/path"};
  for (const std::string& form : forms) {
    for (const std::string& secret : secrets) {
      // A bucket with a path that has an '@' in it.
      if (form == "s3://{}@bucket/path" && has(secret, "/")) continue;
      std::string typed = form;
      typed.replace(typed.find("{}"), 2, secret);
      const auto shows = [&](const std::string& text) {
        return has(text, secret) || has(text, "cretw") || has(text, "etword") || has(text, "4567");
      };
      EXPECT_FALSE(shows(withoutCredentials(typed))) << typed << " -> " << withoutCredentials(typed);
      const std::string kept = keepingCredentials(typed);
      EXPECT_FALSE(shows(kept)) << typed << " -> " << kept;
      EXPECT_FALSE(shows(keepingCredentialsOfArgument("--with=" + typed))) << typed;
      if (!looksRemote(typed)) continue;
      const auto name = remoteNameOf(typed, kAround);
      if (!name) {
        EXPECT_FALSE(shows(name.error().text())) << typed << " -> " << name.error().text();
        continue;
      }
      EXPECT_FALSE(shows(name->shown + name->remote + name->title)) << typed << " -> " << name->shown;
    }
  }
}

// As the name of an option, or in place of the options.
TEST(RemoteName, AKeyInPlaceOfAnOptionIsNotShown) {
  for (const char* const typed :
       {"s3://bucket/p?wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY&region=x",
        "s3://bucket?wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "s3://bucket/p?region=x&wJalrXUtnFEMI",
        "s3://bucket#wJalrXUtnFEMI", "gs://bucket/p?wJalrXUtnFEMI=K7MDENG"}) {
    if (const auto name = remoteNameOf(typed, kAround); !name) {
      EXPECT_FALSE(has(problem(typed), "wJalrXUtnFEMI")) << typed << " -> " << problem(typed);
      EXPECT_FALSE(has(withoutCredentials(typed), "wJalrXUtnFEMI")) << withoutCredentials(typed);
    }
  }
}

TEST(RemoteName, NamesWithoutCredentialsStayAsTheyAre) {
  for (const char* const typed :
       {"/data/tokens=4096,lr=0.1/rank0.json", "s3://b/tokens=4096,lr=0.1/rank0.json", "s3://b/what?/x",
        "s3://b/run#1/x", "gs://b/a@b/c", "sftp://me@host:2222/data/job@2", "me@node7:/data/job",
        "box:run@2/rank0.json", "abfss://c@account1.dfs.core.windows.net/p", "tp=2,pp=4",
        "rank=3,name=ncclKey", "s3://b/p?endpoint=http://127.0.0.1:4568&region=eu-1", "--steps=3..5",
        "C:/traces/job", "SELECT a,key=1 FROM t WHERE token='x'", "kernel=2:name=sgemm"})
    EXPECT_EQ(keepingCredentialsOfArgument(typed), typed);
}

TEST(RemoteName, CredentialsAreKeptForTheAddressWithoutThem) {
  EXPECT_EQ(keepingCredentials("s3://kept/p?secret_access_key=x&region=r"), "s3://kept/p?region=r");
  EXPECT_EQ(keptCredentials("s3://kept/p?region=r"), (EnvironmentEntries{{"AWS_SECRET_ACCESS_KEY", "x"}}));
  EXPECT_TRUE(keptCredentials("s3://kept/q").empty());
  EXPECT_EQ(keepingCredentials("/data/job"), "/data/job");
}

TEST(RedactedText, WithinATextWhatIsNotAddressesStays) {
  EXPECT_EQ(redacted("a s3://k:pw@b/p: no such file, see sftp://me@h/x for more"),
            "a s3://***@b/p: no such file, see sftp://me@h/x for more");
  EXPECT_EQ(redacted("open \"https://h/p?sig=abc&sv=1\" failed: 403"),
            "open \"https://h/p?***\" failed: 403");
  EXPECT_EQ(redacted("key_id=1, AWS_SECRET_ACCESS_KEY=abc token=x"), "*** *** ***");
  EXPECT_EQ(redacted("step 3: 12 events"), "step 3: 12 events");
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
