import type { KubeObject } from '../../../../../api/meta.ts';
import { forbidden, type StatusError } from '../../../../../api/status.ts';
import type { KindStore } from '../../../../../registry/kind-store.ts';

/** Returns the store of a kind of the plane, by resource key; `undefined` if the plane does not have the kind. */
export type StoreOf = (resourceKey: string) => KindStore | undefined;

/** Returns the error (403) for a pod that admission refuses. */
export function refusedPod({ metadata }: KubeObject, reason: string): StatusError {
  return forbidden({ group: '', resource: 'pods' }, metadata.name ?? '', reason);
}
