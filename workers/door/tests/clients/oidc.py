"""Gets a token of PyPI `oidc-provider-mock` 0.3 as a browser would, and asks a door with it.

    oidc-provider-mock --user-claims '{"sub": "anna", "email": "anna@example.com", "groups": ["hr"]}' &
    argosy serve --corpus DIR --set door.oidc.issuer=http://127.0.0.1:9400 --set 'door.oidc.audience=["argosy"]' \\
        --set door.oidc.name_claim=email &
    python oidc.py http://127.0.0.1:9400 http://127.0.0.1:8080

Its access tokens are random words, which no door reads, so this sends the ID token, whose audience is the client. It ends
with 1 where something is not as it should be.
"""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request

ISSUER, DOOR = sys.argv[1:3]
BACK = "http://127.0.0.1:1/back"

failures = 0


def check(what, holds, seen=None):
    global failures
    print(f"{'ok  ' if holds else 'FAIL'} {what}" + ("" if holds else f": {seen!r}"))
    failures += not holds


class Stay(urllib.request.HTTPRedirectHandler):
    """Does not go where it is sent."""

    def redirect_request(self, *_):
        return None


def send(url, form=None, headers=None):
    """The status, the headers and the body of an answer."""
    data = form and urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(url, data, headers or {})
    try:
        answer = urllib.request.build_opener(Stay).open(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    return answer.status, answer.headers, answer.read().decode()


def token(user):
    described = json.loads(send(f"{ISSUER}/.well-known/openid-configuration")[2])
    asked = {
        "client_id": "argosy",
        "redirect_uri": BACK,
        "response_type": "code",
        "scope": "openid email",
        "state": "s",
    }
    at = f"{described['authorization_endpoint']}?{urllib.parse.urlencode(asked)}"
    _, headers, _ = send(at, {"sub": user})
    code = urllib.parse.parse_qs(urllib.parse.urlparse(headers["Location"]).query)["code"][0]
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": BACK,
        "client_id": "argosy",
        "client_secret": "any",
    }
    return json.loads(send(described["token_endpoint"], form)[2])


def ask(path, bearer, body=None):
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{DOOR}{path}", body and json.dumps(body).encode(), headers)
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    return answer.status, json.loads(answer.read())


status, headers, _ = send(f"{DOOR}/api/catalog")
where = headers["WWW-Authenticate"].split('resource_metadata="')[1].rstrip('"')
check("without a token", status == 401, status)
described = json.loads(send(where)[2])
check("the door names its issuer", described["authorization_servers"] == [ISSUER], described)

got = token("anna")
status, login = ask("/api/login", got["id_token"])
check("a token is a login", status == 200 and login["name"] == "anna@example.com", login)
check("with its groups", login.get("groups") == ["hr"], login)
check("with the scopes of a token that names none", login.get("scopes") == ["ask", "read"], login)
status, found = ask("/api/catalog", got["id_token"])
check("it reads", status == 200, found)
status, _ = ask("/api/conversations", got["id_token"])
check("and does not write", status == 403, status)

head, claims, signature = got["id_token"].split(".")
status, problem = ask("/api/login", f"{head}.{claims}.{signature[:-8]}AAAAAAAA")
check("not with another signature", status == 401 and "signature" in problem["detail"], problem)
status, problem = ask("/api/login", got["access_token"])
check("not with a random word", status == 401, problem)
sys.exit(failures > 0)
