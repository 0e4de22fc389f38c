import { badRequest } from '../api/status.ts';

/**
 * Cuts a path as sent into decoded segments. Cutting comes first, so an encoded slash stays inside its segment, and
 * `.` and `..` are ordinary segments: nothing in a path can climb out of where it is mounted.
 */
export function pathSegments(path: string): string[] {
  let start = 0;
  while (path.charCodeAt(start) === slash) start++;
  let end = path.length;
  while (end > start && path.charCodeAt(end - 1) === slash) end--;
  if (start === end) return [];
  const cut = path.lastIndexOf('/', end - 1) + 1;
  if (cut <= start) return [decoded(path.slice(start, end))];
  const segments = segmentsAbove(path.slice(start, cut - 1)).slice();
  segments.push(decoded(path.slice(cut, end)));
  return segments;
}

/**
 * What stands before the last segment of paths that came lately, cut: requests come for the objects of few collections.
 * Their segments are then also the same strings, which are found faster than others that read the same.
 */
const knownAbove = new Map<string, readonly string[]>();
const mostKnown = 1024;
const longestKnown = 256;

function segmentsAbove(path: string): readonly string[] {
  const known = knownAbove.get(path);
  if (known !== undefined) return known;
  if (path.length > longestKnown) return path.split('/').map(decoded);
  // A copy: a part of a string keeps the whole of it in memory, here an address with all of its query.
  const own = path.split('/').join('/');
  const segments = own.split('/').map(decoded);
  if (knownAbove.size === mostKnown) knownAbove.clear();
  knownAbove.set(own, segments);
  return segments;
}

const slash = 0x2f;

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`the request path could not be read: invalid URL escape in ${JSON.stringify(segment)}`);
  }
}

/** The path of a request's URL, without its query, still encoded. */
export function rawPath(url: string): string {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  const fragment = path.indexOf('#');
  return fragment < 0 ? path : path.slice(0, fragment);
}

/** The query of a request's URL, without the question mark. */
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
