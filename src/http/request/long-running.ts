import type { Exchange } from '../exchange.ts';

const streaming = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/** True if a request is long-running: it has no deadline, and ends when the caller's permissions change. */
export function isLongRunning({ info, request }: Exchange): boolean {
  return info.verb === 'watch' || request.upgrade !== undefined || streaming.has(info.subresource);
}
