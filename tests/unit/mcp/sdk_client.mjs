// SPDX-License-Identifier: GPL-3.0-or-later
// A session with `rankscope-cli mcp` by the client of the TypeScript SDK, generation 1 (revisions with a handshake) or 2
// (2026-07-28): node sdk_client.mjs NODE_MODULES GENERATION RANKSCOPE_CLI JOB_FOLDER
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";
import assert from "node:assert";

const [modules, generation, program, job] = process.argv.slice(2);
const load = (name) =>
  import(pathToFileURL(createRequire(path.join(path.resolve(modules), "x.js")).resolve(name)).href);

let Client;
let StdioClientTransport;
if (generation === "1") {
  ({ Client } = await load("@modelcontextprotocol/sdk/client/index.js"));
  ({ StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js"));
} else {
  ({ Client } = await load("@modelcontextprotocol/client"));
  ({ StdioClientTransport } = await load("@modelcontextprotocol/client/stdio"));
}

const options = generation === "1" ? {} : { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const client = new Client({ name: "rankscope-test", version: "1" }, options);
await client.connect(new StdioClientTransport({ command: program, args: ["mcp", "--no-cache", "--root", job] }));
assert.equal(client.getServerVersion()?.name, "rankscope");
if (generation === "2") assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
const { tools } = await client.listTools();
assert.ok(tools.length >= 9);
const opened = await client.callTool({ name: "open_job", arguments: { path: job } });
assert.ok(!opened.isError && opened.content[0].text.startsWith("Scope: "));
const asked = await client.callTool({ name: "query", arguments: { path: job, sql: "SELECT count(*) AS n FROM events" } });
assert.ok(asked.structuredContent.tables[0].rows[0][0] > 0);
const wrong = await client.callTool({ name: "query", arguments: { path: job, sql: "SELECT nothing" } });
assert.ok(wrong.isError);
const stop = new AbortController();
const endless = client.callTool(
  {
    name: "query",
    arguments: { path: job, sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n" },
  },
  ...(generation === "1" ? [undefined, { signal: stop.signal }] : [{ signal: stop.signal }]),
);
stop.abort("enough");
await assert.rejects(endless);
const { resources } = await client.listResources();
const read = await client.readResource({ uri: resources[0].uri });
assert.ok(read.contents[0].text.includes("events"));
await client.close();
console.log("all answers as expected");
