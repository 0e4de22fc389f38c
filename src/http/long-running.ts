import type { Exchange } from './exchange.ts';

const streaming = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/** Whether a request is meant to last: it has no deadline, and ends when the caller's rights change. */
export function isLongRunning({ info, request }: Exchange): boolean {
  return info.verb === 'watch' || request.upgrade !== undefined || streaming.has(info.subresource);
}
