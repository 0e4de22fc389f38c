import { hash } from 'node:crypto';
import { valueAt } from '@flotilla/json';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { ManagementState } from '../state.ts';
import { hiddenGrantedGroups, hiddenInheritedScopes, hiddenKeyHash } from './access-key-hidden.ts';

/** Per version of a key; the hidden part changes with it. */
const fingerprints = new WeakMap<AccessKey, string>();

/**
 * Returns a fingerprint that changes with the value and the permissions of the key of that name, '' if the key does not
 * exist. Reveals nothing of the value.
 */
export function creatorFingerprint(
  name: string,
  state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>,
): string {
  const key = state.accessKey(name);
  if (key === undefined) return '';
  const cached = fingerprints.get(key);
  if (cached !== undefined) return cached;
  const hidden = state.accessKeyHidden(name);
  const inputs = [
    key.metadata.uid,
    ...[hiddenKeyHash, hiddenInheritedScopes, hiddenGrantedGroups].map((member) => valueAt(hidden, member) ?? null),
    key.spec?.scope ?? null,
    key.spec?.groups ?? null,
  ];
  const fingerprint = hash('sha256', JSON.stringify(inputs), 'base64url').slice(0, 24);
  fingerprints.set(key, fingerprint);
  return fingerprint;
}
