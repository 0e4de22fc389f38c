import { badRequest } from '../../api/status.ts';

/**
 * Splits an encoded path into decoded segments. It splits before it decodes, so an encoded slash stays inside its
 * segment. `.` and `..` are ordinary segments: no path can escape its mount.
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
 * A cache of the segments before the last one, because most requests address objects of a few collections. It also
 * makes equal segments the same string object, which speeds up map lookups.
 */
const parentCache = new Map<string, readonly string[]>();
const maxCached = 1024;
const maxCachedLength = 256;

function parentSegments(path: string): readonly string[] {
  const cached = parentCache.get(path);
  if (cached !== undefined) return cached;
  if (path.length > maxCachedLength) return path.split('/').map(decoded);
  // A copy: a substring retains its parent in memory, here a URL with its whole query.
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

/** The path of a URL, without its query, still encoded. */
export function rawPath(url: string): string {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  const fragment = path.indexOf('#');
  return fragment < 0 ? path : path.slice(0, fragment);
}

/** The query of a URL, without the question mark. */
export function rawQuery(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

/** The path without its first `count` segments, still encoded, with a leading slash. */
export function belowSegments(path: string, count: number): string {
  let at = 0;
  while (path.charCodeAt(at) === slash) at++;
  for (let passed = 0; passed < count; passed++) {
    const next = path.indexOf('/', at);
    if (next < 0) return '/';
    at = next + 1;
  }
  return `/${path.slice(at)}`;
}
