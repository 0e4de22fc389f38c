import type { KubeObject } from '../../../src/api/meta.ts';
import { StatusError, type StatusReason } from '../../../src/api/status.ts';
import { type ApiRoot, managementRoot } from '../api-root.ts';
import { type KindRef, type ObjectKey, objectUrl } from '../kind-ref.ts';
import { useRows } from '../rows/use-rows.ts';

export interface LiveObject<Type extends KubeObject = KubeObject> {
  readonly state: 'loading' | 'live' | 'interrupted' | 'refused' | 'gone';
  /** The current object; `undefined` until it is loaded and after it was deleted. */
  readonly object: Type | undefined;
  readonly error: unknown;
  /** The URL of the object. */
  readonly url: string;
  readonly retry: () => void;
}

/** Returns one object, updated by a watch. */
export function useObject<Type extends KubeObject>(
  kind: KindRef<Type>,
  { namespace, name }: ObjectKey,
  root?: ApiRoot,
): LiveObject<Type> {
  const rows = useRows({
    kind,
    fieldSelector: `metadata.name=${name}`,
    objects: true,
    ...(root === undefined ? {} : { root }),
    ...(namespace === undefined ? {} : { namespace }),
  });
  const object = rows.rows[0]?.object;
  const state = rows.state === 'live' && object === undefined ? 'gone' : rows.state;
  const url = objectUrl(root ?? managementRoot, kind, { namespace, name });
  return { state, object, error: rows.error, url, retry: rows.retry };
}

export function hasStatusReason(error: unknown, reason: StatusReason): error is StatusError {
  return error instanceof StatusError && error.status.reason === reason;
}
