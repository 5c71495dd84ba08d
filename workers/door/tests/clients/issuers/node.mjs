// npm `oidc-provider` 9.13.3 on loopback, as oidc_issuers.py asks it: access tokens are signed for the resource that is asked for.
//
//     npm install oidc-provider@9.13.3 && node node.mjs 3900
import { Provider } from "oidc-provider";

const port = Number(process.argv[2] ?? 3900);
const of = (id) => ({
  client_id: id,
  client_secret: `${id}-secret`,
  grant_types: ["client_credentials"],
  response_types: [],
  redirect_uris: [],
});
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [of("chat"), of("other")],
  scopes: ["argosy:ask", "argosy:read", "argosy:write"],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({
        scope: "argosy:ask argosy:read argosy:write",
        audience: resource,
        accessTokenFormat: "jwt",
      }),
    },
  },
  extraTokenClaims: () => ({ groups: ["hr"] }),
});
provider.listen(port, "127.0.0.1");
