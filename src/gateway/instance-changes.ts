import { setMaxListeners } from 'node:events';
import { equalJson } from '@flotilla/json';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterRoles } from '../api/management/virtual-cluster-roles.ts';
import { expired } from '../api/status.ts';
import { asleepError, beingRemovedError } from './instance-errors.ts';

/**
 * Ends the long-running requests to a virtual cluster when its instance is deleted, falls asleep or grants other roles.
 */
export interface InstanceChanges {
  /**
   * Returns a signal that fires at the first relevant change after this call. Call it before the caller's roles are
   * looked up, so that no change to them is missed. The abort reason is the Status with which a stream ends.
   */
  signalFor(instance: VirtualClusterInstance): AbortSignal;
  /**
   * Must be called for each change to an instance. `before` is `undefined` for a new one, `after` for a deleted one.
   */
  handleChange(before: VirtualClusterInstance | undefined, after: VirtualClusterInstance | undefined): void;
}

export function createInstanceChanges(): InstanceChanges {
  const controllers = new Map<string, AbortController>();
  return {
    signalFor({ metadata: { uid = '' } }) {
      const existing = controllers.get(uid);
      if (existing !== undefined) return existing.signal;
      const controller = new AbortController();
      setMaxListeners(0, controller.signal);
      controllers.set(uid, controller);
      return controller.signal;
    },

    handleChange(before, after) {
      const uid = before?.metadata.uid ?? '';
      const controller = controllers.get(uid);
      if (before === undefined || controller === undefined) return;
      const reason = endReason(before, after);
      if (reason === undefined) return;
      controllers.delete(uid);
      controller.abort(reason);
    },
  };
}

function endReason(before: VirtualClusterInstance, after: VirtualClusterInstance | undefined): Error | undefined {
  if (after === undefined || after.metadata.deletionTimestamp !== undefined) {
    return beingRemovedError(before);
  }
  if (isSleeping(after) && !isSleeping(before)) return asleepError(after);
  const [oldRoles, newRoles] = [virtualClusterRoles(before), virtualClusterRoles(after)];
  if (oldRoles.defaultRole === newRoles.defaultRole && equalJson([...oldRoles.rules], [...newRoles.rules]))
    return undefined;
  return expired('your permissions have changed; list again and start a new watch');
}

function isSleeping(instance: VirtualClusterInstance): boolean {
  return instance.status?.phase === 'Sleeping';
}
