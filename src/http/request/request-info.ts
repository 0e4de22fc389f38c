import { badRequest, pathNotFound } from '../../api/status.ts';
import { nameFromFieldSelector } from './name-from-field-selector.ts';
import { pathSegments } from './path-segments.ts';
import { queryFlag } from './query-flag.ts';

/** The meaning of a request path within a control plane (rules REQ-01 to REQ-07). */
export interface RequestInfo {
  /**
   * The Kubernetes verb: create, get, list, watch, update, patch, delete or deletecollection. For non-resource
   * requests, the HTTP method in lower case.
   */
  readonly verb: string;
  readonly isResource: boolean;
  /** The decoded path below the mount of the plane, with a leading slash. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** The plural name of the resource; empty for non-resource requests. */
  readonly resource: string;
  readonly subresource: string;
  /**
   * The object name for authorization: from the path, or from the field selector `metadata.name=x` (rule REQ-06). All
   * other code uses `pathName`.
   */
  readonly name: string;
  readonly pathName: string;
  /** Path segments after the subresource. No route has such segments, so a request with extra segments gets 404. */
  readonly extraSegments: readonly string[];
}

/** Limits of the caches that have a URL as key: the number of entries, and the number of characters of a URL. */
export const urlCacheLimits = { most: 500, longest: 500 };

const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/**
 * Subresources of a Namespace. Any other segment after `namespaces/<name>/` is the plural name of a resource (rule
 * REQ-05).
 */
const namespaceSubresources = new Set(['status', 'finalize']);

/**
 * Parses the path of a request. `planePath` is the path below the mount of the plane, percent-encoded. Throws
 * StatusError if the path is invalid.
 */
export function parseRequestInfo(method: string, planePath: string, query: URLSearchParams): RequestInfo {
  return requestInfoOf(method, pathSegments(planePath), query);
}

/** Derives the request info from the decoded segments of a path. */
export function requestInfoOf(method: string, segments: readonly string[], query: URLSearchParams): RequestInfo {
  const path = `/${segments.join('/')}`;
  const prefix = resourcePrefix(segments);
  if (prefix === undefined) return nonResource(method, segments, path);

  // `at` is the index of the resource segment. No array is copied, because this code runs for every request.
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

/**
 * Returns group and version if the path is a resource path: `api/<version>/…` or `apis/<group>/<version>/…` (REQ-01).
 * `at` is the index of the first segment after the version.
 */
function resourcePrefix(segments: readonly string[]): { group: string; version: string; at: number } | undefined {
  const root = segments[0];
  const first = segments[1] ?? '';
  // Repeated slashes make an empty segment. Such a path is not a resource path.
  if (segments.includes('')) return undefined;
  if (root === 'api' && segments.length >= 3) return { group: '', version: first, at: 2 };
  if (root === 'apis' && segments.length >= 4) return { group: first, version: segments[2] ?? '', at: 3 };
  return undefined;
}

function nonResource(method: string, segments: readonly string[], path: string): RequestInfo {
  // If one of these segments were joined into a path, the path would have another meaning, and the authorizer would
  // check that path.
  if (segments.some((segment) => segment === '.' || segment === '..' || segment.includes('/'))) throw pathNotFound();
  return nonResourceInfo(method, path);
}

/** Returns the request info of a non-resource request. */
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

/** Returns the request info for a request whose path has not been parsed yet. The result contains only the verb. */
export function unparsedRequestInfo(method: string): RequestInfo {
  return unparsedInfos.get(method) ?? nonResourceInfo(method, '');
}
