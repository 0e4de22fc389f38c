import { badRequest, noSuchPath } from '../api/status.ts';
import { exactNameOf } from './exact-name.ts';
import { pathSegments } from './path-segments.ts';
import { queryFlag } from './query-flag.ts';

/** What a URL of one control plane means (rules REQ-01 to REQ-07). The path is relative to the plane's root. */
export interface RequestInfo {
  /** create, get, list, watch, update, patch, delete, deletecollection; for non-resource requests the method in lower case. */
  readonly verb: string;
  readonly isResource: boolean;
  /** Below the plane's root, decoded, with its leading slash. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** The plural; '' for non-resource requests. */
  readonly resource: string;
  readonly subresource: string;
  /** Of the path, or of a fieldSelector `metadata.name=x` (rule REQ-06; for authorisation only, see `pathName`). */
  readonly name: string;
  readonly pathName: string;
  /** Path segments after the subresource: they fit no rule. */
  readonly rest: readonly string[];
}

/** So much is kept of what URLs mean that come again and again. */
export const rememberedUrls = { most: 500, longest: 500 };

const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Below `namespaces/<name>/` these belong to the Namespace itself; everything else there is a kind (rule REQ-05). */
const namespaceSubresources = new Set(['status', 'finalize']);

/**
 * Reads what is asked for. `planePath` is the path below the plane's root, still encoded. Throws StatusError for a
 * path that has no meaning at all.
 */
export function parseRequestInfo(method: string, planePath: string, query: URLSearchParams): RequestInfo {
  return requestInfoOf(method, pathSegments(planePath), query);
}

/** The same of a path that has been cut and decoded. */
export function requestInfoOf(method: string, segments: readonly string[], query: URLSearchParams): RequestInfo {
  const path = `/${segments.join('/')}`;
  const place = resourcePlace(segments);
  if (place === undefined) return nonResource(method, segments, path);

  // Where the resource stands. No list is copied on the way: every request is read here.
  let { at } = place;
  let verb = verbs.get(method) ?? '';
  if (segments[at] === 'watch') {
    if (segments.length < at + 2) throw badRequest(`unable to determine kind and namespace from url, ${path}`);
    at++;
    verb = method === 'GET' || method === 'HEAD' ? 'watch' : '';
  }

  let namespace = '';
  const named = segments[at + 1];
  if (segments[at] === 'namespaces' && named !== undefined) {
    namespace = named;
    const inside = segments[at + 2];
    if (inside !== undefined && !namespaceSubresources.has(inside)) at += 2;
  }

  const resource = segments[at] ?? '';
  const pathName = segments[at + 1] ?? '';
  const subresource = segments[at + 2] ?? '';
  const rest = segments.length > at + 3 ? segments.slice(at + 3) : nothingMore;
  if (pathName === '' && verb === 'get') verb = queryFlag(query, 'watch') === true ? 'watch' : 'list';
  if (pathName === '' && verb === 'delete') verb = 'deletecollection';
  const collection = verb === 'list' || verb === 'watch' || verb === 'deletecollection';
  const name = pathName === '' && collection ? (exactNameOf(query) ?? '') : pathName;

  const { group, version } = place;
  return { verb, isResource: true, path, group, version, namespace, resource, subresource, name, pathName, rest };
}

/** Only `api/<version>/…` and `apis/<group>/<version>/…` with something after them are resource requests (REQ-01). */
function resourcePlace(segments: readonly string[]): { group: string; version: string; at: number } | undefined {
  const root = segments[0];
  const first = segments[1] ?? '';
  // An empty segment in the middle (`//`) leaves the grammar; such a path is nobody's.
  if (segments.includes('')) return undefined;
  if (root === 'api' && segments.length >= 3) return { group: '', version: first, at: 2 };
  if (root === 'apis' && segments.length >= 4) return { group: first, version: segments[2] ?? '', at: 3 };
  return undefined;
}

function nonResource(method: string, segments: readonly string[], path: string): RequestInfo {
  // Such a path would read as another one once it is joined again, also to whoever authorises it.
  if (segments.some((segment) => segment === '.' || segment === '..' || segment.includes('/'))) throw noSuchPath();
  return noResource(method, path);
}

/** Of a request that is for no resource. */
function noResource(method: string, path: string): RequestInfo {
  return {
    verb: method.toLowerCase(),
    isResource: false,
    path,
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    pathName: '',
    rest: nothingMore,
  };
}

const nothingMore: readonly string[] = [];

const unread: ReadonlyMap<string, RequestInfo> = new Map(
  [...verbs.keys()].map((method) => [method, noResource(method, '')]),
);

/** Of a request of which nobody has read the path yet. */
export function unreadInfo(method: string): RequestInfo {
  return unread.get(method) ?? noResource(method, '');
}
