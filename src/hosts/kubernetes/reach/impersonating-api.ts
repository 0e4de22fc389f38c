import { badRequest } from '../../../api/status.ts';
import type { ApiRequest, ApiResponse, ClusterApi, UpgradedConnection } from '../../host.ts';
import { checkPath } from './check-path.ts';
import type { HttpPool } from './http-pool.ts';
import type { HttpPoolRequest } from './http-pool-request.ts';
import { NoResponseError } from './no-response.ts';
import { bearerHeader, forwardedHeaders, impersonationHeaders, type RawHeaders } from './request-headers.ts';

/** A server and its credentials. */
export interface ApiTarget {
  /** Presents the client certificate, if there is one. */
  readonly pool: HttpPool;
  /**
   * Presents no certificate. A server checks the certificate before the bearer token: with both, every token would
   * authenticate as the certificate's owner, who may do everything.
   */
  withoutCertificate(): HttpPool;
  /** The credentials of the kubeconfig's own user; empty if that is the certificate. */
  readonly credentials: RawHeaders;
  /** The root path of its API: empty, or `/k8s/clusters/a`. */
  readonly root: string;
  /** The name of the server in error messages. */
  readonly name: string;
}

type OwnRequest = Omit<ApiRequest, 'as'>;

/** Sends requests as the target's own user. */
export interface OwnApi {
  send(request: OwnRequest): Promise<ApiResponse>;
  upgrade(request: Omit<OwnRequest, 'body'>): Promise<ApiResponse | UpgradedConnection>;
}

export function ownApi({ pool, credentials, root }: ApiTarget): OwnApi {
  return {
    send: async (request) => await pool.send(wireRequest(root, request, credentials)),
    upgrade: async (request) => await pool.upgrade(upgradeRequest(root, request, credentials)),
  };
}

/** Sends each request as the user that it names. */
export function impersonatingApi({
  pool,
  withoutCertificate,
  credentials,
  root,
  name,
}: ApiTarget): Required<ClusterApi> {
  const headersFor = (as: ApiRequest['as']) =>
    'token' in as ? bearerHeader(as.token) : [...credentials, ...impersonationHeaders(as)];
  const poolFor = (as: ApiRequest['as']) => ('token' in as ? withoutCertificate() : pool);

  /** If this server's own credentials are rejected, the caller cannot fix it by authenticating again. */
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

/** Applications behind these paths have their own credentials. */
const applicationProxyPath = /^\/api\/v1\/(?:namespaces\/[^/]+\/(?:services|pods)|nodes)\/[^/]+\/proxy(?:[/?]|$)/;

/**
 * The first server on the way would act on CONNECT itself, and the bytes that follow would not be a request. TRACE and
 * TRACK return the request as it was sent, including this server's credentials.
 */
const unforwardableMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

function wireRequest(root: string, request: OwnRequest, credentials: RawHeaders): HttpPoolRequest {
  const { method, path, headers, body, signal } = request;
  checkPath(path);
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
  if (upgrade === undefined) throw badRequest('the upgrade request does not name a protocol');
  const sent = wireRequest(root, request, credentials);
  return { ...sent, headers: [...sent.headers, 'connection', 'Upgrade', 'upgrade', upgrade] };
}

/** Reads the body so that the connection can be reused. */
async function discard(body: AsyncIterable<Uint8Array>): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  // Error bodies are short; the rest of a longer one is not read.
  for (let remaining = 16; remaining > 0; remaining--) if ((await chunks.next()).done === true) return;
  await chunks.return?.();
}
