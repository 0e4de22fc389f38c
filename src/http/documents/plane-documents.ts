import { methodNotAllowedOnPath } from '../../api/status.ts';
import { discoveryDocuments } from '../discovery/discovery-documents.ts';
import type { Exchange } from '../exchange.ts';
import { openApiDocuments } from '../openapi/openapi-documents.ts';
import type { HealthCheck, Plane } from '../plane.ts';
import type { Reply } from '../reply.ts';
import { type DocumentSet, documentReply, type FoundDocument, jsonDocument } from './api-document.ts';
import { healthPaths, healthReply } from './health.ts';
import { issuerDocuments, type TokenIssuer } from './issuer-documents.ts';
import { SharedDocuments } from './shared-documents.ts';
import type { VersionInfo } from './version.ts';

export interface PlaneDocumentsOptions {
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  /**
   * Returns metrics in the Prometheus text format for `/metrics` (rule METRIC-01). Optional; without it, `/metrics`
   * returns 404.
   */
  readonly metrics?: { readonly contentType: string; text(): Promise<string> };
  /** A cache that planes with the same kinds share. Optional; by default, the plane has its own cache. */
  readonly shared?: SharedDocuments;
  /** The issuer of the plane's service account tokens. Optional; without it, the plane has no OpenID documents. */
  readonly issuer?: TokenIssuer;
}

export interface PlaneDocuments {
  /**
   * Serves the documents of a control plane: /, /api, /apis…, /openapi/…, /version, /healthz, /livez, /readyz, /metrics
   * and the OpenID documents, with or without a trailing slash. Resolves with `undefined` for other paths. Does not
   * authorize the request: an earlier filter must do this.
   */
  reply(exchange: Exchange): Promise<Reply | undefined>;
}

export function planeDocuments(plane: Plane, options: PlaneDocumentsOptions): PlaneDocuments {
  const version = jsonDocument({ ...options.version });
  const shared = options.shared ?? new SharedDocuments();
  const sets: readonly DocumentSet[] = [
    discoveryDocuments(plane, shared),
    openApiDocuments(plane, { serverVersion: options.version.gitVersion, shared }),
    ...(options.issuer === undefined ? [] : [issuerDocuments(options.issuer)]),
  ];
  const paths = () => [
    ...sets.flatMap((set) => set.paths()),
    ...healthPaths(options.healthChecks),
    ...(options.metrics === undefined ? [] : ['/metrics']),
    '/version',
  ];

  const find = async (exchange: Exchange): Promise<FoundDocument | Reply | undefined> => {
    const { path } = exchange.info;
    if (path === '/' || path === '/index.html') return { document: jsonDocument({ paths: paths().sort() }) };
    if (path === '/version') return { document: version };
    if (path === '/metrics' && options.metrics !== undefined) {
      const { contentType } = options.metrics;
      return { status: 200, headers: { 'content-type': contentType }, body: await options.metrics.text() };
    }
    for (const set of sets) {
      const found = await set.find(exchange);
      if (found !== undefined) return found;
    }
    return healthReply(options.healthChecks, path, exchange.query);
  };

  return {
    async reply(exchange) {
      const found = await find(exchange);
      if (found === undefined) return undefined;
      const { method } = exchange.request;
      if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowedOnPath();
      return 'document' in found ? documentReply(exchange, found) : found;
    },
  };
}
