import { setMaxListeners } from 'node:events';
import { rolesInside } from '../api/management/roles-inside.ts';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import { expired } from '../api/status.ts';
import { equalJson } from '../lib/json-value.ts';
import { asleep, beingRemoved } from './instance-words.ts';

/**
 * Ends long-running requests inside an instance when it is deleted, falls asleep or changes the roles that it grants.
 */
export interface InstanceChanges {
  /**
   * Returns a signal that covers changes from this call on, so call it before looking up roles. Its reason is the final
   * Status of a stream.
   */
  of(instance: VirtualClusterInstance): AbortSignal;
  /** Must be called for every change of an instance. */
  changed(before: VirtualClusterInstance | undefined, after: VirtualClusterInstance | undefined): void;
}

export function createInstanceChanges(): InstanceChanges {
  const controllers = new Map<string, AbortController>();
  return {
    of({ metadata: { uid = '' } }) {
      const existing = controllers.get(uid);
      if (existing !== undefined) return existing.signal;
      const controller = new AbortController();
      setMaxListeners(0, controller.signal);
      controllers.set(uid, controller);
      return controller.signal;
    },

    changed(before, after) {
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
    return beingRemoved(before);
  }
  if (isSleeping(after) && !isSleeping(before)) return asleep(after);
  const [oldRoles, newRoles] = [rolesInside(before), rolesInside(after)];
  if (oldRoles.fallback === newRoles.fallback && equalJson([...oldRoles.rules], [...newRoles.rules])) return undefined;
  return expired('your permissions have changed; list again and start a new watch');
}

function isSleeping(instance: VirtualClusterInstance): boolean {
  return instance.status?.phase === 'Sleeping';
}
