import { noSuchPath } from '../../api/status.ts';
import { servedGroups } from '../discovery/served-groups.ts';
import { type Document, type DocumentSet, jsonDocument, perGeneration } from '../document.ts';
import type { Exchange, Reply } from '../exchange.ts';
import { parseAccept } from '../media-type.ts';
import { rawPath, rawQuery } from '../path-segments.ts';
import type { Plane } from '../plane.ts';
import { swaggerDocument } from './v2.ts';
import { swaggerBytes, swaggerProtobuf, swaggerProtobufAsked } from './v2-protobuf.ts';
import { groupVersionDocument, singlePathDocument } from './v3.ts';

const root = '/openapi/v3';

/** `/openapi/v3`, a document per group version below it, and `/openapi/v2` (rules OAPI-01 to OAPI-16). */
export function openApiDocuments(plane: Plane, options: { readonly serverVersion: string }): DocumentSet {
  const { serverVersion } = options;
  const v3 = perGeneration(plane, (resources) => {
    const documents = new Map<string, Document>();
    const add = (path: string, description: string) =>
      documents.set(path, jsonDocument(singlePathDocument(`/${path}/`, description, serverVersion)));
    const groups = servedGroups(resources);
    if (groups.some(({ name }) => name === '')) add('api', 'get available API versions');
    add('apis', 'get available API groups');
    for (const { name, versions } of groups) {
      if (name !== '') add(`apis/${name}`, 'get information of a group');
      for (const served of versions) {
        const path = name === '' ? `api/${served.version}` : `apis/${name}/${served.version}`;
        documents.set(path, jsonDocument(groupVersionDocument(served, serverVersion)));
      }
    }
    add('version', 'get the version information for this server');
    const paths = [...documents].map(([path, { hash }]) => [
      path,
      { serverRelativeURL: `${root}/${path}?hash=${hash}` },
    ]);
    return { index: jsonDocument({ paths: Object.fromEntries(paths) }), documents };
  });
  const v2 = perGeneration(plane, (resources) => {
    const versions = servedGroups(resources).flatMap((group) => group.versions);
    const described = versions.map((served) => groupVersionDocument(served, serverVersion));
    const swagger = swaggerDocument(described, serverVersion);
    let bytes: Uint8Array | undefined;
    return {
      document: jsonDocument(swagger),
      bytes: () => {
        bytes ??= swaggerBytes(swagger);
        return bytes;
      },
    };
  });

  return {
    paths: () => ['/openapi/v2', root, ...[...v3().documents.keys()].map((path) => `${root}/${path}`)],
    find(exchange) {
      const { path } = exchange.info;
      if (path === '/openapi/v2') {
        const { document, bytes } = v2();
        if (!wantsProtobuf(exchange)) return { document, headers: tagged(document) };
        const headers = tagged({ hash: `${document.hash}-protobuf` });
        return { document, headers, contentType: `application/${swaggerProtobuf}`, bytes: bytes() };
      }
      if (path === root) return { document: v3().index, headers: tagged(v3().index) };
      if (!path.startsWith(`${root}/`)) return undefined;
      const document = v3().documents.get(path.slice(root.length + 1));
      if (document === undefined) throw noSuchPath();
      const asked = exchange.query.get('hash') ?? '';
      if (asked === '') return { document, headers: tagged(document) };
      if (asked !== document.hash) return moved(exchange, document);
      return { document, headers: { ...tagged(document), ...forever(exchange.receivedAt) } };
    },
  };
}

/** For those who take nothing else, as always here. */
function wantsProtobuf({ request }: Exchange): boolean {
  const accept = parseAccept(request.headers.accept ?? '');
  const isNamed = (...subtypes: readonly string[]) =>
    accept.some(({ type, subtype }) => type === 'application' && subtypes.includes(subtype));
  const takesText = accept.some(({ subtype }) => subtype === '*') || isNamed('json', 'yaml');
  return !takesText && isNamed(swaggerProtobuf, swaggerProtobufAsked);
}

function tagged({ hash }: Pick<Document, 'hash'>): Record<string, string> {
  return { etag: `"${hash}"`, vary: 'Accept' };
}

const yearMilliseconds = 365 * 24 * 3_600_000;

/** What has this hash never changes (rule OAPI-03). */
function forever(now: number): Record<string, string> {
  return { 'cache-control': 'public, immutable', expires: new Date(now + yearMilliseconds).toUTCString() };
}

/** The path as the client sent it, so that the address is right wherever the plane is mounted. */
function moved({ request }: Exchange, { hash }: Document): Reply {
  const query = new URLSearchParams(rawQuery(request.url));
  query.set('hash', hash);
  return { status: 301, headers: { location: `${rawPath(request.url)}?${query}` } };
}
