import { badRequest } from '../../api/status.ts';

/**
 * Splits a percent-encoded path into decoded segments. Decodes after splitting, so an encoded slash stays inside its
 * segment. `.` and `..` have no special meaning, so no path can leave its mount.
 */
export function pathSegments(path: string): string[] {
  let start = 0;
  while (path.charCodeAt(start) === slash) start++;
  let end = path.length;
  while (end > start && path.charCodeAt(end - 1) === slash) end--;
  if (start === end) return [];
  const lastStart = path.lastIndexOf('/', end - 1) + 1;
  if (lastStart <= start) return [decoded(path.slice(start, end))];
  const segments = parentSegments(path.slice(start, lastStart - 1)).slice();
  segments.push(decoded(path.slice(lastStart, end)));
  return segments;
}

/**
 * Decoded segments of parent paths. A parent path is a path without its last segment. Parent paths repeat, because most
 * requests are for objects of a few collections. The cache also returns the same string objects every time, which
 * speeds up map lookups.
 */
const parentCache = new Map<string, readonly string[]>();
const maxCached = 1024;
const maxCachedLength = 256;

function parentSegments(path: string): readonly string[] {
  const cached = parentCache.get(path);
  if (cached !== undefined) return cached;
  if (path.length > maxCachedLength) return path.split('/').map(decoded);
  // Copy the string: in V8, a substring keeps the whole original string in memory, here the URL with its query.
  const copy = path.split('/').join('/');
  const segments = copy.split('/').map(decoded);
  if (parentCache.size === maxCached) parentCache.clear();
  parentCache.set(copy, segments);
  return segments;
}

const slash = 0x2f;

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`the request path is invalid: invalid URL escape in ${JSON.stringify(segment)}`);
  }
}

/** Returns the path of a URL without its query, percent-encoded as the client sent it. */
export function rawPath(url: string): string {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  const fragment = path.indexOf('#');
  return fragment < 0 ? path : path.slice(0, fragment);
}

/** Returns the query of a URL without the question mark, percent-encoded as the client sent it. */
export function rawQuery(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

/** Returns the path without its first `count` segments, percent-encoded, with a leading slash. */
export function pathBelowSegments(path: string, count: number): string {
  let at = 0;
  while (path.charCodeAt(at) === slash) at++;
  for (let passed = 0; passed < count; passed++) {
    const next = path.indexOf('/', at);
    if (next < 0) return '/';
    at = next + 1;
  }
  return `/${path.slice(at)}`;
}
