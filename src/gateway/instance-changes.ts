import { setMaxListeners } from 'node:events';
import { equalJson } from '@flotilla/json';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterRoles } from '../api/management/virtual-cluster-roles.ts';
import { expired } from '../api/status.ts';
import { asleepError, beingRemovedError } from './instance-errors.ts';

/**
 * Ends long-running requests inside an instance when it is deleted, falls asleep or changes the roles that it grants.
 */
export interface InstanceChanges {
  /**
   * Returns a signal that covers changes from this call on, so call it before looking up roles. Its reason is the final
   * Status of a stream.
   */
  signalFor(instance: VirtualClusterInstance): AbortSignal;
  /** Must be called for every change of an instance. */
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
