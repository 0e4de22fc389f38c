import { badRequest } from '../../api/status.ts';
import { belowSegments, pathSegments, rawPath, rawQuery } from '../../http/request/path-segments.ts';
import { parseRequestInfo } from '../../http/request/request-info.ts';

/**
 * The path and query to forward, without the gateway's own segments. Servers on the way may interpret a path
 * differently (join slashes, resolve `..`, decode twice), but authorization is safe only if all of them read the same
 * path. A path with more than one interpretation is a 400.
 */
export function forwardedPath(method: string, url: string, depth: number): string {
  const query = rawQuery(url);
  const path = `/${belowSegments(rawPath(url), depth).replace(/^\/+/, '')}`;
  if (plainPath.test(path) && plainQuery.test(query) && !url.includes('#')) return joined(path, query);
  if (!/^[\x21-\x7e]*$/.test(path + query) || url.includes('#') || path.includes('\\')) {
    throw unforwardable('it contains characters that must be percent-encoded');
  }
  checkQuery(query);
  const segments = pathSegments(path);
  const { subresource, extraSegments } = parseRequestInfo(method, path, new URLSearchParams(query));
  // The path behind a service proxy belongs to the application and may contain encoded slashes.
  const ownSegments = subresource === 'proxy' ? segments.slice(0, segments.length - extraSegments.length) : segments;
  const isAmbiguous = (segment: string) => segment === '' || /[/\\\p{Cc}]/u.test(segment);
  if (ownSegments.some(isAmbiguous)) throw unforwardable('it contains an empty segment or an encoded slash');
  const hasDotSegment = segments
    .flatMap((segment) => segment.split(/[/\\]/))
    .some((part) => part === '.' || part === '..');
  if (hasDotSegment) throw unforwardable('it contains a dot segment');
  return joined(path, query);
}

/** Matches paths in which nothing needs decoding, which are nearly all. */
const plainPath = /^(?:\/[\w:~-][\w.:~-]*)*\/?$/;
const plainQuery = /^[\w.=&:,~-]*$/;

function joined(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

/** Go drops parameters that it cannot parse, and treats semicolons differently from other implementations. */
function checkQuery(query: string): void {
  if (query.includes(';')) throw unforwardable('its query contains a semicolon');
  try {
    for (const part of query.split('&')) decodeURIComponent(part);
  } catch {
    throw unforwardable('its query contains an invalid URL escape');
  }
}

function unforwardable(fault: string): Error {
  return badRequest(`cannot forward the request path: ${fault}`);
}
