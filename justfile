# Recipes for people; without just, the commands below work as they stand.

# List the recipes.
default:
    @just --list

# Everything that has to pass before a change goes in; exactly what CI runs.
verify:
    .ci/run

# Ask the sample corpus a few questions, in one process. Needs nothing.
demo:
    cargo run -p argosy -- demo

# Start a local nats-server and one process per role; Ctrl-C drains them.
up *ARGS:
    cargo run -p argosy -- up {{ARGS}}

# Measure the fleet against bare JetStream on this machine.
bench *ARGS:
    cargo run --release -p argosy-bench -- fleet {{ARGS}}

# Run one seed of the simulation again, with its events.
sim SEED:
    ARGOSY_SIM_SEED={{SEED}} cargo test -p argosy-tests --test simulation -- --nocapture

# Put a fleet under KEDA, with three NATS servers and a control plane. The first time builds KEDA, up to 20 minutes.
cluster-test *ARGS:
    tests/cluster/run {{ARGS}}
