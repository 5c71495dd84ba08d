#!/usr/bin/env bash
# How many questions a second a door passes on, beside a client of NATS: a fleet of stubs, asked by `ab` (apache2-utils) over
# HTTP, and by the driver of `argosy-bench fleet` over NATS. Both wait for the answer. Then, what memory 5,000 open event
# streams take of it.
# Arguments: the folder with `argosy` and `argosy-bench`; how many questions. ARGOSY_NATS_SERVER names nats-server 2.14 or newer.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(realpath "${1:?the folder of the binaries}")
questions=${2:-4000}
dir=$(mktemp -d)
pids=()
end() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$dir"
}
trap end EXIT
cd "$dir"

echo "over NATS:"
"$bin/argosy-bench" fleet --in-flight 1,64 --queries "$questions" --repeat 3 --no-floor -o json >nats.json
python3 - <<'PY'
import json
for run in json.load(open("nats.json"))["runs"]:
    print("  in flight %d: %.0f a second, half of them within %.1f ms" % (run["in_flight"], run["queries_per_s"], run["p50_ms"]))
PY

url=nats://127.0.0.1:14222
"${ARGOSY_NATS_SERVER:-nats-server}" -js -sd "$dir/js" -a 127.0.0.1 -p 14222 >nats.log 2>&1 &
pids+=($!)
"$bin/argosy" setup --server "$url" >/dev/null
for role in gateway planner retriever mapper reducer validator; do
    "$bin/argosy-bench" run "$role" --server "$url" --stub-ms 0 --set run.slots=256 --log error >"$role.log" 2>&1 &
    pids+=($!)
    [[ $role != planner ]] || planner=$!
done
"$bin/argosy" serve --server "$url" --listen 127.0.0.1:18080 >door.log 2>&1 &
door=$!
pids+=("$door")
until curl -sf http://127.0.0.1:18080/api/health >/dev/null; do sleep 0.1; done

echo '{"question":"What is the notice period of the cleaning agreement with Osterby, and when does it end?"}' >question.json
ask() {
    ab -q -l -k -s 60 -c "$1" -n "$2" -p question.json -T application/json http://127.0.0.1:18080/api/turns
}
ask 16 1000 >/dev/null
echo "over HTTP:"
for turn in 1 2 3; do
    ask 1 $((questions / 4)) | awk '/^Requests per|^ +50%|Non-2xx|^Failed/ {printf "  in flight 1: %s\n", $0}'
    ask 64 "$questions" | awk '/^Requests per|^ +50%|Non-2xx|^Failed/ {printf "  in flight 64: %s\n", $0}'
done

# A turn that nobody plans runs on. Its door is a fresh one: what the questions took, the allocator may hold.
kill "$planner" "$door"
wait "$planner" "$door" || true
ulimit -n 20000
"$bin/argosy" serve --server "$url" --listen 127.0.0.1:18080 >door.log 2>&1 &
door=$!
pids+=("$door")
until curl -sf http://127.0.0.1:18080/api/health >/dev/null; do sleep 0.1; done
turn=$(curl -sf http://127.0.0.1:18080/api/turns -H 'Prefer: respond-async' -H 'Content-Type: application/json' -d @question.json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["turn"])')
python3 "$here/streams.py" http://127.0.0.1:18080 "$turn" 5000 "$door"
