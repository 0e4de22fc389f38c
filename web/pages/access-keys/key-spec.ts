import type { AccessKey, AccessKeySpec } from '../../../src/api/management/v1/access-key.ts';
import type { KindRef } from '../../data/kind-ref.ts';

export function keySpec({ spec = {} }: AccessKey): AccessKeySpec {
  return spec;
}

/** True if users know the value of the key. Keys of other types are created by the server for its own purposes. */
export function isUserHeld({ type = 'User' }: AccessKeySpec): boolean {
  return type === 'User' || type === 'Other';
}

/**
 * An access key and the kind to use in requests about it: `OwnedAccessKey` for the caller's own keys, `AccessKey` for
 * all keys.
 */
export interface KeyWithKind {
  readonly kind: KindRef<AccessKey>;
  readonly accessKey: AccessKey;
}
