import { badRequest, pathNotFound } from '../../api/status.ts';
import { nameFromFieldSelector } from './name-from-field-selector.ts';
import { pathSegments } from './path-segments.ts';
import { queryFlag } from './query-flag.ts';

/** The meaning of a URL of one control plane (rules REQ-01 to REQ-07). The path is relative to the plane's root. */
export interface RequestInfo {
  /**
   * create, get, list, watch, update, patch, delete, deletecollection; for non-resource requests the method in lower
   * case.
   */
  readonly verb: string;
  readonly isResource: boolean;
  /** The path below the plane's root, decoded, with a leading slash. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** The plural; '' for non-resource requests. */
  readonly resource: string;
  readonly subresource: string;
  /**
   * The name in the path, or that of a fieldSelector `metadata.name=x` (rule REQ-06; only for authorization, see
   * `pathName`).
   */
  readonly name: string;
  readonly pathName: string;
  /** Path segments after the subresource, which no route has. */
  readonly extraSegments: readonly string[];
}

/** The limits of the caches for repeated URLs. */
export const urlCacheLimits = { most: 500, longest: 500 };

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
 * Parses a request path. `planePath` is the path below the plane's root, still encoded. Throws StatusError for an
 * invalid path.
 */
export function parseRequestInfo(method: string, planePath: string, query: URLSearchParams): RequestInfo {
  return requestInfoOf(method, pathSegments(planePath), query);
}

/** Returns the request info for the decoded segments of a path. */
export function requestInfoOf(method: string, segments: readonly string[], query: URLSearchParams): RequestInfo {
  const path = `/${segments.join('/')}`;
  const prefix = resourcePrefix(segments);
  if (prefix === undefined) return nonResource(method, segments, path);

  // The index of the resource segment. No array is copied on the way, because every request is parsed here.
  let { at } = prefix;
  let verb = verbs.get(method) ?? '';
  if (segments[at] === 'watch') {
    if (segments.length < at + 2) throw badRequest(`unable to determine kind and namespace from url, ${path}`);
    at++;
    verb = method === 'GET' || method === 'HEAD' ? 'watch' : '';
  }

  let namespace = '';
  const afterResource = segments[at + 1];
  if (segments[at] === 'namespaces' && afterResource !== undefined) {
    namespace = afterResource;
    const afterNamespace = segments[at + 2];
    if (afterNamespace !== undefined && !namespaceSubresources.has(afterNamespace)) at += 2;
  }

  const resource = segments[at] ?? '';
  const pathName = segments[at + 1] ?? '';
  const subresource = segments[at + 2] ?? '';
  const rest = segments.length > at + 3 ? segments.slice(at + 3) : noSegments;
  if (pathName === '' && verb === 'get') verb = queryFlag(query, 'watch') === true ? 'watch' : 'list';
  if (pathName === '' && verb === 'delete') verb = 'deletecollection';
  const collection = verb === 'list' || verb === 'watch' || verb === 'deletecollection';
  const name = pathName === '' && collection ? (nameFromFieldSelector(query) ?? '') : pathName;

  const { group, version } = prefix;
  return {
    verb,
    isResource: true,
    path,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    pathName,
    extraSegments: rest,
  };
}

/** Only `api/<version>/…` and `apis/<group>/<version>/…` with something after them are resource requests (REQ-01). */
function resourcePrefix(segments: readonly string[]): { group: string; version: string; at: number } | undefined {
  const root = segments[0];
  const first = segments[1] ?? '';
  // A path with an empty segment (`//`) is not a resource path.
  if (segments.includes('')) return undefined;
  if (root === 'api' && segments.length >= 3) return { group: '', version: first, at: 2 };
  if (root === 'apis' && segments.length >= 4) return { group: first, version: segments[2] ?? '', at: 3 };
  return undefined;
}

function nonResource(method: string, segments: readonly string[], path: string): RequestInfo {
  // After the segments are joined again, the path would address another resource, also for the authorizer.
  if (segments.some((segment) => segment === '.' || segment === '..' || segment.includes('/'))) throw pathNotFound();
  return nonResourceInfo(method, path);
}

/** The information about a non-resource request. */
function nonResourceInfo(method: string, path: string): RequestInfo {
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
    extraSegments: noSegments,
  };
}

const noSegments: readonly string[] = [];

const unparsedInfos: ReadonlyMap<string, RequestInfo> = new Map(
  [...verbs.keys()].map((method) => [method, nonResourceInfo(method, '')]),
);

/** The information about a request whose path has not been parsed yet. */
export function unparsedRequestInfo(method: string): RequestInfo {
  return unparsedInfos.get(method) ?? nonResourceInfo(method, '');
}
