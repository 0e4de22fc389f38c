import { useHeader } from '../api/use-header.ts';
import type { Exchange } from '../http/exchange.ts';

/**
 * Subresources that are part of an object. A request for any other subresource, such as a log, counts as work inside
 * the instance.
 */
const displayedSubresources = new Set(['', 'status', 'scale']);

/** Reviews with which a page requests the permissions of its own user. */
const ownReviews = new Set(['selfsubjectaccessreviews', 'selfsubjectrulesreviews']);

type Received = Pick<Exchange, 'credential' | 'info' | 'request'>;

/**
 * True if a page of the console sent the request to display an instance: a read with a session cookie. Such a request
 * does not count as a use of the instance and does not wake it. A program with a token cannot send such requests. A
 * user who imitates a page gains nothing, because the instance then only falls asleep earlier.
 */
export function isConsoleView({ credential, info, request }: Received): boolean {
  if (credential === undefined || credential.isBearer || request.upgrade !== undefined) return false;
  if (request.headers[useHeader.toLowerCase()] !== undefined) return false;
  if (!info.isResource) return request.method === 'GET' || request.method === 'HEAD';
  if (info.verb === 'create') return info.group === 'authorization.k8s.io' && ownReviews.has(info.resource);
  return ['get', 'list', 'watch'].includes(info.verb) && displayedSubresources.has(info.subresource);
}
