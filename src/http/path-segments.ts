import { badRequest } from '../api/status.ts';

/**
 * Cuts a path as sent into decoded segments. Cutting comes first, so an encoded slash stays inside its segment, and
 * `.` and `..` are ordinary segments: nothing in a path can climb out of where it is mounted.
 */
export function pathSegments(path: string): string[] {
  const trimmed = path.replace(/^\/+/, '').replace(/\/+$/, '');
  if (trimmed === '') return [];
  return trimmed.split('/').map((segment) => {
    if (!segment.includes('%')) return segment;
    try {
      return decodeURIComponent(segment);
    } catch {
      throw badRequest(`the request path could not be read: invalid URL escape in ${JSON.stringify(segment)}`);
    }
  });
}

/** The path of a request's URL, without its query, still encoded. */
export function rawPath(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

/** The query of a request's URL, without the question mark. */
export function rawQuery(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

/** The path without its first `count` segments, still encoded, with a leading slash. */
export function belowSegments(path: string, count: number): string {
  const segments = path.replace(/^\/+/, '').split('/');
  return `/${segments.slice(count).join('/')}`;
}
