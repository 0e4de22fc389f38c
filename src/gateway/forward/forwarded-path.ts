import { badRequest } from '../../api/status.ts';
import { pathBelowSegments, pathSegments, rawPath, rawQuery } from '../../http/request/path-segments.ts';
import { parseRequestInfo } from '../../http/request/request-info.ts';

/**
 * Returns the path and query to forward, without the leading segments that address the cluster on this server. Throws
 * 400 for a path that other servers could interpret differently, for example by joining slashes, resolving `..` or
 * decoding twice. Otherwise this server could authorize one path and the cluster could serve another.
 */
export function forwardedPath(method: string, url: string, depth: number): string {
  const query = rawQuery(url);
  const path = `/${pathBelowSegments(rawPath(url), depth).replace(/^\/+/, '')}`;
  if (plainPath.test(path) && plainQuery.test(query) && !url.includes('#')) return joined(path, query);
  if (!/^[\x21-\x7e]*$/.test(path + query) || url.includes('#') || path.includes('\\')) {
    throw unforwardable('the path or query contains characters that must be percent-encoded');
  }
  checkQuery(query);
  const segments = pathSegments(path);
  const { subresource, extraSegments } = parseRequestInfo(method, path, new URLSearchParams(query));
  // The path after a service's `proxy` subresource belongs to an application and may contain encoded slashes.
  const ownSegments = subresource === 'proxy' ? segments.slice(0, segments.length - extraSegments.length) : segments;
  const isAmbiguous = (segment: string) => segment === '' || /[/\\\p{Cc}]/u.test(segment);
  if (ownSegments.some(isAmbiguous)) throw unforwardable('the path contains an empty segment or an encoded slash');
  const hasDotSegment = segments
    .flatMap((segment) => segment.split(/[/\\]/))
    .some((part) => part === '.' || part === '..');
  if (hasDotSegment) throw unforwardable('the path contains a segment `.` or `..`');
  return joined(path, query);
}

/** Matches paths that contain nothing to decode. Nearly all paths match, so the full check is rarely needed. */
const plainPath = /^(?:\/[\w:~-][\w.:~-]*)*\/?$/;
const plainQuery = /^[\w.=&:,~-]*$/;

function joined(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

/**
 * Throws 400 for a query that servers interpret differently: Go ignores parameters that it cannot parse, and treats
 * semicolons in its own way.
 */
function checkQuery(query: string): void {
  if (query.includes(';')) throw unforwardable('the query contains a semicolon');
  try {
    for (const part of query.split('&')) decodeURIComponent(part);
  } catch {
    throw unforwardable('the query contains an invalid URL escape');
  }
}

function unforwardable(fault: string): Error {
  return badRequest(`cannot forward the request: ${fault}`);
}
