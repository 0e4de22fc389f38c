import { badRequest } from '../../api/status.ts';
import type { ApiRequest, ApiResponse, ClusterApi, UpgradedConnection } from '../host.ts';
import type { ApiWire, WireRequest } from './api-wire.ts';
import { checkPath } from './check-path.ts';
import { NoAnswerError } from './no-answer.ts';
import { bearer, type HeaderLines, impersonation, passedOn } from './request-headers.ts';

/** A server and what opens it. */
export interface ApiTarget {
  /** Shows the client certificate, where there is one. */
  readonly wire: ApiWire;
  /**
   * Shows none. A server looks at a certificate before it looks at a bearer: beside one, everybody's bearer would be the
   * certificate's owner, who may do everything.
   */
  withoutCertificate(): ApiWire;
  /** Of the wire's own user, unless it is the certificate. */
  readonly credentials: HeaderLines;
  /** Where its API begins: '', or `/k8s/clusters/a`. */
  readonly root: string;
  /** For the words of an error. */
  readonly name: string;
}

type OwnRequest = Omit<ApiRequest, 'as'>;

/** As the target's own user. */
export interface OwnApi {
  send(request: OwnRequest): Promise<ApiResponse>;
  upgrade(request: Omit<OwnRequest, 'body'>): Promise<ApiResponse | UpgradedConnection>;
}

export function ownApi({ wire, credentials, root }: ApiTarget): OwnApi {
  return {
    send: async (request) => await wire.send(wireRequest(root, request, credentials)),
    upgrade: async (request) => await wire.upgrade(upgradeRequest(root, request, credentials)),
  };
}

/** In the name of whomever a request says. */
export function impersonatingApi({
  wire,
  withoutCertificate,
  credentials,
  root,
  name,
}: ApiTarget): Required<ClusterApi> {
  const linesOf = (as: ApiRequest['as']) => ('token' in as ? bearer(as.token) : [...credentials, ...impersonation(as)]);
  const wireOf = (as: ApiRequest['as']) => ('token' in as ? withoutCertificate() : wire);

  /** That our own credentials are refused is nothing that the caller's could mend. */
  async function believed<A extends { readonly status: number }>({ as, path }: Asked, answer: A): Promise<A> {
    if (answer.status !== 401 || 'token' in as || isApplication.test(path)) return answer;
    if ('body' in answer) await discard(answer.body as AsyncIterable<Uint8Array>);
    throw new NoAnswerError(
      'CredentialsRefused',
      `${name} does not accept the credentials that this server has for it`,
    );
  }

  return {
    async send(request) {
      const { as } = request;
      return await believed(request, await wireOf(as).send(wireRequest(root, request, linesOf(as))));
    },
    async upgrade(request) {
      const { as } = request;
      return await believed(request, await wireOf(as).upgrade(upgradeRequest(root, request, linesOf(as))));
    },
  };
}

type Asked = Pick<ApiRequest, 'as' | 'path'>;

/** What answers behind one of these has credentials of its own. */
const isApplication = /^\/api\/v1\/(?:namespaces\/[^/]+\/(?:services|pods)|nodes)\/[^/]+\/proxy(?:[/?]|$)/;

/**
 * CONNECT would be undone by the first server on the way: what comes after is nobody's request. The others ask for an
 * answer that tells what was sent, and so this server's own credentials.
 */
const notPassed: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

function wireRequest(root: string, request: OwnRequest, credentials: HeaderLines): WireRequest {
  const { method, path, headers, body, signal } = request;
  checkPath(path);
  if (notPassed.has(method.toUpperCase())) throw badRequest(`the method ${method} cannot be passed on`);
  const lines = [...passedOn(headers), ...credentials];
  const asked = { method, path: `${root}${path}`, headers: lines, signal };
  const length = lengthOf(headers['content-length']);
  return body === undefined || length === 0 ? asked : { ...asked, body, length };
}

function lengthOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function upgradeRequest(root: string, request: Omit<OwnRequest, 'body'>, credentials: HeaderLines): WireRequest {
  const { upgrade } = request.headers;
  if (upgrade === undefined) throw badRequest('the request does not say which protocol it wants');
  const asked = wireRequest(root, request, credentials);
  return { ...asked, headers: [...asked.headers, 'connection', 'Upgrade', 'upgrade', upgrade] };
}

/** So that the connection can be used again. */
async function discard(body: AsyncIterable<Uint8Array>): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  // The words of a refusal are few; a server that has more to say is not listened to.
  for (let left = 16; left > 0; left--) if ((await chunks.next()).done === true) return;
  await chunks.return?.();
}
