import { pathNotFound } from '../../api/status.ts';
import type { ApiDocument, DocumentSet } from '../documents/api-document.ts';
import type { SharedDocuments } from '../documents/shared-documents.ts';
import { cachedPerGeneration } from '../documents/shared-documents.ts';
import type { Exchange } from '../exchange.ts';
import { parseAccept } from '../negotiate/media-type.ts';
import type { Plane } from '../plane.ts';
import type { Reply } from '../reply.ts';
import { rawPath, rawQuery } from '../request/path-segments.ts';
import { GroupVersionDocuments } from './group-version-documents.ts';
import { OpenApiV2Document } from './openapi-v2-document.ts';
import { swaggerProtobufAcceptType, swaggerProtobufType } from './v2-protobuf.ts';

const root = '/openapi/v3';

/**
 * Returns the OpenAPI documents of a plane: `/openapi/v3`, the paths below it, and `/openapi/v2` (OAPI-01 to OAPI-16).
 */
export function openApiDocuments(
  plane: Plane,
  options: { readonly serverVersion: string; readonly shared: SharedDocuments },
): DocumentSet {
  const { serverVersion, shared } = options;
  const v3 = cachedPerGeneration(plane, shared, `v3 ${serverVersion}`, (resources) => {
    return new GroupVersionDocuments({ resources, serverVersion, shared, root });
  });
  const v2 = cachedPerGeneration(
    plane,
    shared,
    `v2 ${serverVersion}`,
    (resources) => new OpenApiV2Document(resources, serverVersion),
  );

  return {
    paths: () => ['/openapi/v2', root, ...v3().paths.map((path) => `${root}/${path}`)],
    async find(exchange) {
      const { path } = exchange.info;
      if (path === '/openapi/v2') {
        const whole = v2();
        const document = await whole.document();
        if (!wantsProtobuf(exchange)) return { document, headers: etagHeaders(document) };
        const headers = etagHeaders({ hash: `${document.hash}-protobuf` });
        return { document, headers, contentType: `application/${swaggerProtobufType}`, bytes: await whole.bytes() };
      }
      if (path === root) {
        const index = await v3().index();
        return { document: index, headers: etagHeaders(index) };
      }
      if (!path.startsWith(`${root}/`)) return undefined;
      const document = v3().find(path.slice(root.length + 1));
      if (document === undefined) throw pathNotFound();
      const requestedHash = exchange.query.get('hash') ?? '';
      if (requestedHash === '') return { document, headers: etagHeaders(document) };
      if (requestedHash !== document.hash) return redirectToHash(exchange, document);
      return { document, headers: { ...etagHeaders(document), ...immutableHeaders(exchange.receivedAt) } };
    },
  };
}

/** True if the client accepts protobuf, and neither JSON nor YAML. */
function wantsProtobuf({ request }: Exchange): boolean {
  const accept = parseAccept(request.headers.accept ?? '');
  const isNamed = (...subtypes: readonly string[]) =>
    accept.some(({ type, subtype }) => type === 'application' && subtypes.includes(subtype));
  const takesText = accept.some(({ subtype }) => subtype === '*') || isNamed('json', 'yaml');
  return !takesText && isNamed(swaggerProtobufType, swaggerProtobufAcceptType);
}

function etagHeaders({ hash }: Pick<ApiDocument, 'hash'>): Record<string, string> {
  return { etag: `"${hash}"`, vary: 'Accept' };
}

const yearMilliseconds = 365 * 24 * 3_600_000;

/** Returns headers that let clients cache a document for a year: its URL contains its hash (rule OAPI-03). */
function immutableHeaders(now: number): Record<string, string> {
  return { 'cache-control': 'public, immutable', expires: new Date(now + yearMilliseconds).toUTCString() };
}

/** Redirects to the URL with the current hash. Uses the path that the client sent, which includes the plane's mount. */
function redirectToHash({ request }: Exchange, { hash }: ApiDocument): Reply {
  const query = new URLSearchParams(rawQuery(request.url));
  query.set('hash', hash);
  return { status: 301, headers: { location: `${rawPath(request.url)}?${query}` } };
}
