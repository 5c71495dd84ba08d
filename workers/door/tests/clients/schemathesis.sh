#!/bin/sh
# Checks a door that runs against its own OpenAPI document, for at most three minutes. Fails on a finding.
#
#   schemathesis.sh http://127.0.0.1:8080 [KEY]
#
# Wants schemathesis 4.32 or newer (`pip install schemathesis`), as `st` on the PATH or where ST says. Questions are asked,
# and conversations erased: take a door over a corpus that is there for this.
set -eu
door=${1:?usage: schemathesis.sh URL [KEY]}
here=$(cd "$(dirname "$0")" && pwd)
key=${2:+"Authorization: Bearer $2"}
# It writes what it remembers into the folder that it is in.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export SCHEMATHESIS_HOOKS="$here/schemathesis.py"

# Waits shortly: a question whose turn has to wait is followed by its address.
timeout 180 "${ST:-st}" --config-file "$here/schemathesis.toml" run "$door/api/openapi.json" \
    --header "Prefer: wait=1" ${key:+--header "$key"} \
    --max-examples "${EXAMPLES:-20}" --seed 1 --request-timeout 20 --continue-on-failure
