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
  const segments = path.slice(start, end).split('/');
  return path.includes('%') ? segments.map(decoded) : segments;
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
