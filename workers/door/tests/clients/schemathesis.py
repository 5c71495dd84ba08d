"""Hooks of schemathesis.sh: no question stands in the way of the next one."""

import re
import uuid

import schemathesis

DEADLINE = re.compile(r"^([0-9]+(ms|s|m)|1h)$")
KEY = re.compile(r"^[!-~]{1,256}$")


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.operation.path != "/api/turns":
        return
    # Else each question but the first would be refused for its key.
    if KEY.match((case.headers or {}).get("Idempotency-Key", "")):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    # One that waits for a turn that never comes ends soon.
    if isinstance(case.body, dict):
        deadline = case.body.get("deadline")
        if deadline is None or isinstance(deadline, str) and DEADLINE.match(deadline):
            case.body["deadline"] = "3s"
