import type { Exchange } from '../exchange.ts';

const streaming = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/**
 * True for a watch, log stream or upgrade. Such a request has no deadline, and ends if the caller's permissions change.
 */
export function isLongRunning({ info, request }: Exchange): boolean {
  return info.verb === 'watch' || request.upgrade !== undefined || streaming.has(info.subresource);
}
