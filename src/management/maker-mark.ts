import { hash } from 'node:crypto';
import type { KubeObject } from '../api/meta.ts';
import { valueAt } from '../lib/json-path.ts';
import { hiddenGivenGroups, hiddenInheritedScopes, hiddenKeyHash } from './access-key-hidden.ts';
import type { ManagementState } from './state.ts';

/** Of one version of a key; its hidden part changes with it. */
const marks = new WeakMap<KubeObject, string>();

/**
 * Another text whenever the key of that name opens something else, or opens it with another value; '' where there is no
 * such key. Tells nothing of the value itself.
 */
export function makerMark(name: string, state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>): string {
  const key = state.accessKey(name);
  if (key === undefined) return '';
  const known = marks.get(key);
  if (known !== undefined) return known;
  const hidden = state.accessKeyHidden(name);
  const told = [
    key.metadata.uid,
    ...[hiddenKeyHash, hiddenInheritedScopes, hiddenGivenGroups].map((member) => valueAt(hidden, member) ?? null),
    ...['scope', 'groups'].map((member) => valueAt(key, 'spec', member) ?? null),
  ];
  const mark = hash('sha256', JSON.stringify(told), 'base64url').slice(0, 24);
  marks.set(key, mark);
  return mark;
}
