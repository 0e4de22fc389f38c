import { hash } from 'node:crypto';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { ManagementState } from '../state.ts';
import { hiddenGrantedGroups, hiddenInheritedScopes, hiddenKeyHash } from './access-key-hidden.ts';

/**
 * The fingerprint of each key object. A changed key, even if only its hidden part changed, is a new JavaScript object,
 * so no entry is outdated.
 */
const fingerprints = new WeakMap<AccessKey, string>();

/**
 * Returns a fingerprint that changes when the value or the permissions of the access key with this name change. The
 * fingerprint does not reveal the value. '' if the key does not exist.
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
    hidden?.[hiddenKeyHash] ?? null,
    hidden?.[hiddenInheritedScopes] ?? null,
    hidden?.[hiddenGrantedGroups] ?? null,
    key.spec?.scope ?? null,
    key.spec?.groups ?? null,
  ];
  const fingerprint = hash('sha256', JSON.stringify(inputs), 'base64url').slice(0, 24);
  fingerprints.set(key, fingerprint);
  return fingerprint;
}
