import { badRequest } from '../../../api/status.ts';
import type { ApiRequest, ApiResponse, ClusterApi, UpgradedConnection } from '../../host.ts';
import type { HttpPool } from './http-pool.ts';
import type { HttpPoolRequest } from './http-pool-request.ts';
import { NoResponseError } from './no-response.ts';
import { rejectAmbiguousPath } from './reject-ambiguous-path.ts';
import { bearerHeader, forwardedHeaders, impersonationHeaders, type RawHeaders } from './request-headers.ts';

/** The connections to an API server, and the credentials for it. */
export interface ApiTarget {
  /** Connections that present the client certificate, if there is one. */
  readonly pool: HttpPool;
  /**
   * Connections without a client certificate, for requests with a bearer token. A server checks the certificate before
   * the token, so with both, every token would authenticate as the owner of the certificate, who may do everything.
   */
  withoutCertificate(): HttpPool;
  /** Returns the authorization header for the user of the kubeconfig; empty if that user authenticates with a certificate. */
  credentials(): RawHeaders;
  /** The root path of the API; empty, or for example `/k8s/clusters/a`. */
  readonly root: string;
  /** The name of the server in error messages. */
  readonly name: string;
}

type OwnRequest = Omit<ApiRequest, 'as'>;

/** Sends requests as the user of the kubeconfig, without impersonation. */
export interface KubeconfigUserApi {
  send(request: OwnRequest): Promise<ApiResponse>;
  upgrade(request: Omit<OwnRequest, 'body'>): Promise<ApiResponse | UpgradedConnection>;
}

export function kubeconfigUserApi({ pool, credentials, root }: ApiTarget): KubeconfigUserApi {
  return {
    send: async (request) => await pool.send(wireRequest(root, request, credentials())),
    upgrade: async (request) => await pool.upgrade(upgradeRequest(root, request, credentials())),
  };
}

/**
 * Returns an API that sends each request as the user in `ApiRequest.as`, by impersonation or with that user's token.
 */
export function impersonatingApi({
  pool,
  withoutCertificate,
  credentials,
  root,
  name,
}: ApiTarget): Required<ClusterApi> {
  const headersFor = (as: ApiRequest['as']) =>
    'token' in as ? bearerHeader(as.token) : [...credentials(), ...impersonationHeaders(as)];
  const poolFor = (as: ApiRequest['as']) => ('token' in as ? withoutCertificate() : pool);

  /**
   * Converts a 401 to a NoResponseError if the server rejected this server's own credentials, because the caller cannot
   * solve that by authenticating again.
   */
  async function checkCredentials<A extends { readonly status: number }>(
    { as, path }: SentRequest,
    response: A,
  ): Promise<A> {
    if (response.status !== 401 || 'token' in as || applicationProxyPath.test(path)) return response;
    if ('body' in response) await discard(response.body as AsyncIterable<Uint8Array>);
    throw new NoResponseError('CredentialsRefused', `${name} rejected the credentials that this server has for it`);
  }

  return {
    async send(request) {
      const { as } = request;
      return await checkCredentials(request, await poolFor(as).send(wireRequest(root, request, headersFor(as))));
    },
    async upgrade(request) {
      const { as } = request;
      return await checkCredentials(request, await poolFor(as).upgrade(upgradeRequest(root, request, headersFor(as))));
    },
  };
}

type SentRequest = Pick<ApiRequest, 'as' | 'path'>;

/**
 * Paths of applications behind a service, pod or node. A 401 from an application rejects the caller, not this server.
 */
const applicationProxyPath = /^\/api\/v1\/(?:namespaces\/[^/]+\/(?:services|pods)|nodes)\/[^/]+\/proxy(?:[/?]|$)/;

/**
 * A proxy would handle a forwarded CONNECT itself and then treat the following bytes as a tunnel. The responses to
 * TRACE and TRACK repeat the request, including this server's credentials.
 */
const unforwardableMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

function wireRequest(root: string, request: OwnRequest, credentials: RawHeaders): HttpPoolRequest {
  const { method, path, headers, body, signal } = request;
  rejectAmbiguousPath(path);
  if (unforwardableMethods.has(method.toUpperCase())) throw badRequest(`the method ${method} cannot be forwarded`);
  const lines = [...forwardedHeaders(headers), ...credentials];
  const sent = { method, path: `${root}${path}`, headers: lines, signal };
  const length = lengthOf(headers['content-length']);
  return body === undefined || length === 0 ? sent : { ...sent, body, length };
}

function lengthOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function upgradeRequest(root: string, request: Omit<OwnRequest, 'body'>, credentials: RawHeaders): HttpPoolRequest {
  const { upgrade } = request.headers;
  if (upgrade === undefined) throw badRequest('the upgrade request has no Upgrade header that names a protocol');
  const sent = wireRequest(root, request, credentials);
  return { ...sent, headers: [...sent.headers, 'connection', 'Upgrade', 'upgrade', upgrade] };
}

/** Reads and discards the body, so that the connection can be reused. */
async function discard(body: AsyncIterable<Uint8Array>): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  // The bodies of error responses are short. If there are more than 16 chunks, give up the connection instead.
  for (let remaining = 16; remaining > 0; remaining--) if ((await chunks.next()).done === true) return;
  await chunks.return?.();
}
