import { setMaxListeners } from 'node:events';
import { equalJson } from '@flotilla/json';
import { expired } from '../api/status.ts';
import { InstanceErrors } from './instance-errors.ts';
import type { InstanceType, ProjectInstance } from './instance-type.ts';

/** Ends the long-running requests to an instance when the instance is deleted, falls asleep or grants other roles. */
export interface InstanceChanges<Instance extends ProjectInstance> {
  /**
   * Returns a signal that fires at the first relevant change after this call. Call this function before the caller's
   * roles are looked up, so that no change to them is missed. The abort reason is the Status with which a stream ends.
   */
  signalFor(instance: Instance): AbortSignal;
  /**
   * Must be called for each change to an instance. `before` is `undefined` for a new instance, and `after` for a
   * deleted instance.
   */
  handleChange(before: Instance | undefined, after: Instance | undefined): void;
}

export function createInstanceChanges<Instance extends ProjectInstance>(
  type: InstanceType<Instance>,
): InstanceChanges<Instance> {
  const errors = new InstanceErrors(type);
  const controllers = new Map<string, AbortController>();
  const endReason = (before: Instance, after: Instance | undefined): Error | undefined => {
    if (after === undefined || after.metadata.deletionTimestamp !== undefined) return errors.beingRemoved(before);
    if (isSleeping(after) && !isSleeping(before)) return errors.asleep(after);
    if (equalJson(type.grantsOf(before), type.grantsOf(after))) return undefined;
    return expired('your permissions have changed; list again and start a new watch');
  };
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

function isSleeping(instance: ProjectInstance): boolean {
  return instance.status?.phase === 'Sleeping';
}
