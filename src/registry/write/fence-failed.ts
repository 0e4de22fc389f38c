import { type StatusError, serviceUnavailable } from '../../api/status.ts';

/**
 * Returns the error of background work that another replica has taken over (`RequestContext.fence`). This process stops the
 * work, so nothing is retried.
 */
export function fenceFailed(): StatusError {
  return serviceUnavailable('another server has taken over this work; nothing was written', 1);
}
