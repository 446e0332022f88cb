# SPDX-License-Identifier: GPL-3.0-or-later
# A client of `rankscope-cli mcp` with the standard library alone: client.py RANKSCOPE_CLI JOB_FOLDER. Holds a
# session in each generation of the protocol, then sends what no client should.
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

PROGRAM = os.path.realpath(sys.argv[1])
JOB = os.path.realpath(sys.argv[2])
LIMIT = 24_000


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([PROGRAM, "mcp", "--no-cache", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=JOB)
        self.number = 0
        timer = threading.Timer(120, self.process.kill)
        timer.daemon = True
        timer.start()

    def send(self, text):
        self.process.stdin.write(text.encode() if isinstance(text, str) else text)
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def request(self, method, params=None, meta=None):
        self.number += 1
        params = dict(params or {})
        if meta:
            params["_meta"] = meta
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}) + "\n")
        answer = self.receive()
        assert answer["id"] == self.number, answer
        return answer

    def call(self, tool, meta=None, **arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments}, meta)["result"]
        text = result["content"][0]["text"]
        size = len(text) + len(json.dumps(result.get("structuredContent", ""), ensure_ascii=False))
        assert size <= LIMIT * 1.05, (tool, size)
        if not result["isError"]:
            assert text.startswith("Scope: "), text[:200]
            assert result["structuredContent"]["scope"], result
        return result

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        assert self.process.wait(60) == 0
        return rest


def handshake():
    server = Server("--root", JOB)
    result = server.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                           "clientInfo": {"name": "test", "version": "1"}})["result"]
    assert result["protocolVersion"] == "2025-06-18", result
    server.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    assert server.request("initialize", {"protocolVersion": "1900-01-01"})["result"]["protocolVersion"] == "2025-11-25"
    assert server.request("ping")["result"] == {}
    tools = {tool["name"]: tool for tool in server.request("tools/list")["result"]["tools"]}
    assert set(tools) == {"open_job", "findings", "table", "compare", "step_story", "event", "stacks", "query", "schema"}
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools.values())
    assert "ranks" in server.call("open_job", path=JOB)["content"][0]["text"]
    assert "resultType" not in server.request("ping")["result"]
    server.call("findings", path=JOB, limit=5)
    table = server.call("table", path=JOB, name="steps", ranks="0", columns=["rank", "step", "duration_us"],
                        sort="-duration_us", limit=3)["structuredContent"]["tables"][0]
    assert table["columns"] == ["rank", "step", "duration_us"] and len(table["rows"]) == min(3, table["row_count"])
    assert all(row[0] == 0 for row in table["rows"])
    step = table["rows"][0][1]
    server.call("step_story", path=JOB, rank=0, step=step)
    rows = server.call("query", path=JOB, sql="SELECT id FROM kernel_events LIMIT 1")["structuredContent"]["tables"][0]["rows"]
    server.call("event", path=JOB, id=rows[0][0])
    server.call("stacks", path=JOB, weight="device")
    both = server.call("compare", a=JOB, b=JOB)["structuredContent"]
    assert "; differences" not in both["scope"] and "B less A" in both["scope"], both["scope"]
    figures, classes, kernels = both["tables"]
    assert ["verdict", "no_change"] in figures["rows"] or figures["columns"] == ["figure", "value"], figures
    assert len(kernels["rows"]) <= 20 and len(kernels["rows"]) == min(20, kernels["row_count"]), kernels
    delta = classes["columns"].index("delta_us")
    assert all(row[delta] == 0 for row in classes["rows"]), classes
    ranks = server.call("compare", a=JOB, b=JOB, a_ranks="0", b_ranks="0", by="rank", limit=5)
    assert "A: 1 of" in ranks["structuredContent"]["scope"], ranks["structuredContent"]["scope"]
    for arguments in ({"a_ranks": "77"}, {"a_ranks": "x"}, {"b_steps": "9..3"}, {"by": "nothing"}):
        refused = server.call("compare", a=JOB, b=JOB, **arguments)
        assert refused["isError"] and next(iter(arguments)) in refused["content"][0]["text"], refused
    counts = server.call("query", path=JOB, sql="SELECT (SELECT count(*) FROM a.events) = (SELECT count(*) FROM b.events)",
                         **{"with": JOB})["structuredContent"]["tables"][0]["rows"]
    assert counts == [[1]], counts
    server.call("schema")
    server.call("schema", table="events")
    many = server.call("query", path=JOB, sql="SELECT a.* FROM events AS a, events AS b", limit=500)["structuredContent"]
    assert many["truncated"]
    wrong = server.call("query", path=JOB, sql="SELECT begn_ns FROM events")
    assert wrong["isError"] and "did you mean begin_ns" in wrong["content"][0]["text"], wrong
    for arguments in ({"path": JOB, "name": "nothing"}, {"path": JOB, "name": "steps", "columns": ["nothing"]},
                      {"path": JOB, "name": "steps", "ranks": "x"}, {"path": "/etc", "name": "steps"},
                      {"path": "../..", "name": "steps"}, {"path": "nothing", "name": "steps"}):
        assert server.call("table", **arguments)["isError"], arguments
    assert server.request("tools/call", {"name": "nothing"})["error"]["code"] == -32602
    assert server.request("tools/call", {"name": "table", "arguments": {"pth": JOB}})["error"]["code"] == -32602
    assert server.request("tools/call", {"name": "table", "arguments": {"path": {}}})["error"]["code"] == -32602
    assert server.request("nothing")["error"]["code"] == -32601
    assert len(server.request("resources/list")["result"]["resources"]) == 1
    assert "events" in server.request("resources/read", {"uri": "rankscope://schema"})["result"]["contents"][0]["text"]
    assert server.end() == b""


def stateless():
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    server = Server()
    found = server.request("server/discover", meta=meta)["result"]
    assert found["supportedVersions"][0] == "2026-07-28" and found["resultType"] == "complete", found
    listed = server.request("tools/list", meta=meta)["result"]
    assert listed["resultType"] == "complete" and listed["cacheScope"] == "public", listed.keys()
    assert server.call("findings", meta, path=".")["resultType"] == "complete"
    old = dict(meta)
    old["io.modelcontextprotocol/protocolVersion"] = "1900-01-01"
    error = server.request("tools/list", meta=old)["error"]
    assert error["code"] == -32022 and "2026-07-28" in error["data"]["supported"], error
    assert server.end() == b""


def garbage():
    server = Server("--root", JOB)
    for line, code in ((b"{", -32700), (b"\xff\xfe", -32700), (b"[]", -32600), (b'"a"', -32600), (b"1", -32600),
                       (b'{"jsonrpc": "2.0", "id": 1}', -32600), (b'{"id": 1, "method": "ping"}', -32600),
                       (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
                       (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602),
                       (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}', -32602),
                       (b"[" * 100_000, -32700), (b'"' + b"x" * 3_000_000 + b'"', -32600)):
        server.send(line + b"\n")
        answer = server.receive()
        assert answer["error"]["code"] == code, (line[:60], answer)
    server.send('\n  \n{"jsonrpc": "2.0", "method": "nothing"}\n')
    for part in ('{"jsonrpc": "2.0", ', '"id": "half", "method"', ': "ping"}\n'):
        server.send(part)
    assert server.receive() == {"jsonrpc": "2.0", "id": "half", "result": {}}
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
    server.send(json.dumps({"jsonrpc": "2.0", "id": "endless", "method": "tools/call", "params": {
        "name": "query", "arguments": {"path": JOB, "sql": endless}}}) + "\n")
    server.send('{"jsonrpc": "2.0", "id": "waits", "method": "ping"}\n')
    server.send('{"jsonrpc": "2.0", "id": "never", "method": "ping"}\n')
    server.send('{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "unknown"}}\n')
    server.send('{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "never"}}\n')
    server.send('{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "endless"}}\n')
    assert server.receive()["id"] == "waits", "a cancelled request has no answer"
    server.send('{"jsonrpc": "2.0", "id": 7, "method": "ping"')  # without an end
    rest = server.end()
    assert json.loads(rest)["error"]["code"] == -32700, rest


def masked():
    server = Server("--root", JOB, "--mask")
    text = json.dumps(server.call("table", path=JOB, name="files"))
    assert JOB not in text and "(masked)" in text, text[:500]
    server.end()
    with tempfile.TemporaryDirectory() as folder:
        other = os.path.join(os.path.realpath(folder), "other")
        shutil.copytree(JOB, other)
        server = Server("--root", JOB, "--root", other, "--mask")
        text = json.dumps(server.call("query", path=JOB, sql="SELECT path FROM b.files", **{"with": other}))
        assert other not in text and "(masked)" in text, text[:500]
        server.end()


handshake()
stateless()
garbage()
masked()
print("all answers as expected")
