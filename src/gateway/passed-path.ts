import { badRequest } from '../api/status.ts';
import { belowSegments, pathSegments, rawPath, rawQuery } from '../http/path-segments.ts';
import { parseRequestInfo } from '../http/request-info.ts';

/**
 * The path and query that a request is passed on with, from below the gateway's own segments. What stands between here and
 * there may read a path in its own way (join slashes, go up at `..`, decode once more), and whoever decided about the
 * request must have read it as the one who carries it out does: a path that can be read in two ways is a 400.
 */
export function passedPath(method: string, url: string, depth: number): string {
  const query = rawQuery(url);
  const path = `/${belowSegments(rawPath(url), depth).replace(/^\/+/, '')}`;
  if (plainPath.test(path) && plainQuery.test(query) && !url.includes('#')) return joined(path, query);
  if (!/^[\x21-\x7e]*$/.test(path + query) || url.includes('#') || path.includes('\\')) {
    throw unreadable('it has characters that must be encoded');
  }
  checkQuery(query);
  const segments = pathSegments(path);
  const { subresource, rest } = parseRequestInfo(method, path, new URLSearchParams(query));
  // What is behind the proxy of a service is an application's own path, and may have encoded slashes.
  const own = subresource === 'proxy' ? segments.slice(0, segments.length - rest.length) : segments;
  const isTwofold = (segment: string) => segment === '' || /[/\\\p{Cc}]/u.test(segment);
  if (own.some(isTwofold)) throw unreadable('it has an empty segment, or an encoded slash in one');
  const climbs = segments.flatMap((segment) => segment.split(/[/\\]/)).some((part) => part === '.' || part === '..');
  if (climbs) throw unreadable('it has a segment of dots');
  return joined(path, query);
}

/** Nearly all of them: nothing in them stands for anything else. */
const plainPath = /^(?:\/[\w:~-][\w.:~-]*)*\/?$/;
const plainQuery = /^[\w.=&:,~-]*$/;

function joined(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

/** Go leaves out what it cannot read, and reads semicolons as nobody else does. */
function checkQuery(query: string): void {
  if (query.includes(';')) throw unreadable('there is a semicolon in its query');
  try {
    for (const part of query.split('&')) decodeURIComponent(part);
  } catch {
    throw unreadable('its query has an invalid URL escape');
  }
}

function unreadable(fault: string): Error {
  return badRequest(`the request path cannot be passed on: ${fault}`);
}
