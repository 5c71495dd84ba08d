"""Gets tokens of issuers that people run, and asks a door with them. Not part of CI: Keycloak alone takes 500 MB.

    KC_BOOTSTRAP_ADMIN_USERNAME=admin KC_BOOTSTRAP_ADMIN_PASSWORD=admin kc.sh start-dev --http-host 127.0.0.1 --http-port 8180
    dex serve issuers/dex.yaml
    npm install oidc-provider@9.13.3 && node issuers/node.mjs 3900

    argosy serve --corpus tests/fixtures/corpus --set door.oidc.issuer=ISSUER --set 'door.oidc.audience=["argosy", "urn:argosy"]' \\
        --set 'door.oidc.clients=["chat"]'
    python oidc_issuers.py keycloak http://127.0.0.1:8180/realms/staff http://127.0.0.1:8080
    python oidc_issuers.py dex http://127.0.0.1:5556/dex http://127.0.0.1:8080
    python oidc_issuers.py node http://127.0.0.1:3900 http://127.0.0.1:8080

Run with Keycloak 26.7.3 (`org.keycloak:keycloak-quarkus-dist` of Maven), dex of August 2026 (ab64ed77) and npm `oidc-provider`
9.13.3. It makes the realm `staff` of Keycloak anew. It ends with 1 where something is not as it should be.
"""

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

if len(sys.argv) != 4:
    sys.exit(__doc__)
KIND, ISSUER, DOOR = sys.argv[1:]
KEYS_PAUSE = 11
failures = 0


def check(what, holds, seen=None):
    global failures
    print(f"{'ok  ' if holds else 'FAIL'} {what}" + ("" if holds else f": {seen!r}"))
    failures += not holds


def send(url, form=None, body=None, bearer=None, method=None):
    """The status of an answer, and what its JSON says."""
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    data = form and urllib.parse.urlencode(form).encode()
    if body is not None:
        data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    text = answer.read().decode()
    return answer.status, json.loads(text) if text.startswith(("{", "[")) else text


def token(client, of=ISSUER, **form):
    """The access token of a client that asks for itself, or for its user."""
    at = send(f"{of}/.well-known/openid-configuration")[1]["token_endpoint"]
    form = {"grant_type": "client_credentials", "client_id": client, "client_secret": f"{client}-secret", **form}
    status, got = send(at, {name: value for name, value in form.items() if value})
    assert status == 200, got
    return got["access_token"]


def is_login(what, bearer, groups, scopes=("ask", "read")):
    status, login = send(f"{DOOR}/api/login", bearer=bearer)
    check(f"{what} is a login", status == 200, login)
    if status != 200:
        return
    check(f"  with the groups {groups}", login.get("groups") == groups, login)
    check(f"  with the scopes {scopes}", login.get("scopes") == list(scopes), login)
    status, found = send(f"{DOOR}/api/catalog", bearer=bearer)
    check("  which reads, if it may", status == (200 if "read" in scopes else 403), found)
    status, found = send(f"{DOOR}/api/conversations", bearer=bearer)
    check("  and does not write", status == 403, found)


def is_refused(what, bearer, why):
    status, problem = send(f"{DOOR}/api/login", bearer=bearer)
    check(f"{what} is refused: {why}", status == 401 and why in problem["detail"], problem)


ANNA = {"grant_type": "password", "username": "anna", "password": "anna", "scope": "openid"}


def mapper(name, kind, **config):
    """What puts a claim into the access tokens of Keycloak."""
    return {"name": name, "protocol": "openid-connect", "protocolMapper": kind, "config": {"access.token.claim": "true", **config}}


def keycloak():
    base, realm = ISSUER.rsplit("/realms/", 1)
    admin = lambda path, body=None, method=None: send(
        f"{base}/admin/realms{path}",
        body=body,
        bearer=token("", f"{base}/realms/master", **{**ANNA, "client_id": "admin-cli", "username": "admin", "password": "admin"}),
        method=method,
    )
    audience = mapper("for-argosy", "oidc-audience-mapper", **{"included.custom.audience": "argosy"})
    of_groups = mapper("groups", "oidc-group-membership-mapper", **{"claim.name": "groups", "full.path": "true"})
    client = lambda name, mappers: {
        "clientId": name,
        "secret": f"{name}-secret",
        "directAccessGrantsEnabled": True,
        "serviceAccountsEnabled": True,
        "protocolMappers": mappers,
    }
    anna = {
        "username": "anna",
        "email": "anna@example.com",
        "firstName": "Anna",
        "lastName": "Example",
        "enabled": True,
        "groups": ["/hr", "/law/contracts"],
        "credentials": [{"type": "password", "value": "anna"}],
    }
    whole = {
        "realm": realm,
        "enabled": True,
        "groups": [{"name": "hr"}, {"name": "law", "subGroups": [{"name": "contracts"}]}],
        "clients": [client("chat", [audience, of_groups]), client("other", [audience, of_groups]), client("bare", [])],
        "users": [anna],
    }
    admin(f"/{realm}", method="DELETE")
    status, told = admin("", whole)
    assert status == 201, told
    # The realm has new keys; the door asks for them when a token names one.
    time.sleep(KEYS_PAUSE)
    is_login("a user's token", token("chat", **ANNA), ["/hr", "/law/contracts"])
    is_login("a service account's token", token("chat"), [])
    is_refused("a token without a mapper", token("bare", **ANNA), "`aud`")
    is_refused("a service account's without one", token("bare"), "`aud`")
    is_refused("a token of another client", token("other", **ANNA), "door.oidc.clients")
    another = token("", f"{base}/realms/master", **{**ANNA, "client_id": "admin-cli", "username": "admin", "password": "admin"})
    is_refused("a token of another realm", another, "no such key")
    old = token("chat", **ANNA)
    rotated = {
        "name": "rotated",
        "providerId": "rsa-generated",
        "providerType": "org.keycloak.keys.KeyProvider",
        "config": {"priority": ["200"]},
    }
    status, told = admin(f"/{realm}/components", rotated)
    assert status == 201, told
    time.sleep(KEYS_PAUSE)
    is_login("a token of a new key", token("chat", **ANNA), ["/hr", "/law/contracts"])
    is_login("one of the key before", old, ["/hr", "/law/contracts"])


def dex():
    user = {**ANNA, "username": "anna@example.com"}
    for_argosy = "audience:server:client_id:argosy"
    scope = f"openid groups {for_argosy}"
    time.sleep(KEYS_PAUSE)
    old = token("chat", **{**user, "scope": scope})
    is_login("a user's token", old, ["hr", "law/contracts"])
    is_login("one without the scope `groups`", token("chat", **{**user, "scope": f"openid {for_argosy}"}), [])
    is_login("a client's token", token("chat", scope=scope), [])
    is_refused("a token for the client itself", token("chat", **user), "`aud`")
    is_refused("what Argosy's own client gets, without `azp`", token("argosy", **user), "door.oidc.clients")
    print("     until dex changes its key")
    key = lambda signed: signed.split(".")[0]
    until = time.monotonic() + 90
    while key(token("chat")) == key(old) and time.monotonic() < until:
        time.sleep(1)
    time.sleep(KEYS_PAUSE)
    new = token("chat", **{**user, "scope": scope})
    check("the key has changed", key(new) != key(old))
    is_login("a token of a new key", new, ["hr", "law/contracts"])
    is_login("one of the key before", old, ["hr", "law/contracts"])


def node():
    for_argosy = {"resource": "urn:argosy"}
    is_login("a client's token (at+jwt)", token("chat", **for_argosy), ["hr"])
    is_login("one with scopes of ours", token("chat", scope="argosy:read", **for_argosy), ["hr"], ("read",))
    is_login("one that may ask only", token("chat", scope="argosy:ask", **for_argosy), ["hr"], ("ask",))
    is_refused("one for another resource", token("chat", resource="urn:other"), "`aud`")
    is_refused("one of another client", token("other", **for_argosy), "door.oidc.clients")
    is_refused("a random word, which it gives for no resource", token("chat"), "key is not known")


{"keycloak": keycloak, "dex": dex, "node": node}[KIND]()
sys.exit(failures > 0)
