#!/bin/sh
# Runs those scenarios of npm `@modelcontextprotocol/conformance` that any server has to pass. The others call tools,
# prompts and resources of a server that is written for the suite.
#
#     mcp_conformance.sh http://127.0.0.1:8080/mcp CONFORMANCE
#
# CONFORMANCE is the suite's command; it wants Node 22 or newer. Ends with 1 where a scenario fails.
set -u
url=$1
suite=$2
failed=0
said=$(mktemp)
# The two of `sse` warn that a client gets no id, which is as it should be.
for scenario in server-initialize ping tools-list resources-list dns-rebinding-protection server-sse-polling \
    server-sse-multiple-streams; do
    if "$suite" server --url "$url" --scenario "$scenario" >"$said" 2>&1; then
        echo "ok   $scenario"
    else
        echo "FAIL $scenario"
        cat "$said"
        failed=1
    fi
done
rm -f "$said"
exit $failed
