import type { RequestInfo } from '../request/request-info.ts';
import type { WorkPriority } from './fair-scheduler.ts';

/**
 * Returns the priority at which a request gets CPU time. Opening a watch is background work, because clients wait for
 * the responses to other requests, but not for watches.
 */
export function workPriorityOf({ verb }: Pick<RequestInfo, 'verb'>): WorkPriority {
  return verb === 'watch' ? 'background' : 'normal';
}
