import { setMaxListeners } from 'node:events';
import { rolesInside } from '../api/management/roles-inside.ts';
import type { KubeObject } from '../api/meta.ts';
import { expired } from '../api/status.ts';
import { textAt } from '../lib/json-path.ts';
import { equalJson } from '../lib/json-value.ts';
import { asleep, beingRemoved } from './instance-words.ts';

/** Ends what lasts inside of an instance when it goes, falls asleep, or gives other roles than before. */
export interface InstanceChanges {
  /** Holds from the call on: to be asked for before roles are looked up. Its reason is what a stream says last. */
  of(instance: KubeObject): AbortSignal;
  /** To be called for every change of an instance. */
  changed(before: KubeObject | undefined, after: KubeObject | undefined): void;
}

export function createInstanceChanges(): InstanceChanges {
  const open = new Map<string, AbortController>();
  return {
    of({ metadata: { uid = '' } }) {
      const known = open.get(uid);
      if (known !== undefined) return known.signal;
      const controller = new AbortController();
      setMaxListeners(0, controller.signal);
      open.set(uid, controller);
      return controller.signal;
    },

    changed(before, after) {
      const uid = before?.metadata.uid ?? '';
      const controller = open.get(uid);
      if (before === undefined || controller === undefined) return;
      const reason = whyOver(before, after);
      if (reason === undefined) return;
      open.delete(uid);
      controller.abort(reason);
    },
  };
}

function whyOver(before: KubeObject, after: KubeObject | undefined): Error | undefined {
  if (after === undefined || after.metadata.deletionTimestamp !== undefined) {
    return beingRemoved(before);
  }
  if (isSleeping(after) && !isSleeping(before)) return asleep(after);
  const [was, is] = [rolesInside(before), rolesInside(after)];
  if (was.fallback === is.fallback && equalJson([...was.rules], [...is.rules])) return undefined;
  return expired('what you may do has changed; list again to see what there is for you now');
}

function isSleeping(instance: KubeObject): boolean {
  return textAt(instance, 'status', 'phase') === 'Sleeping';
}
