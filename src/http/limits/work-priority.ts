import type { RequestInfo } from '../request/request-info.ts';
import type { WorkPriority } from './fair-scheduler.ts';

/**
 * Returns the priority of the processor time for a request. Opening a watch is background work, because clients wait for
 * responses to other requests, but not for watches.
 */
export function workPriorityOf({ verb }: Pick<RequestInfo, 'verb'>): WorkPriority {
  return verb === 'watch' ? 'background' : 'normal';
}
