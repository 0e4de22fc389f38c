import type { AccessKey, AccessKeySpec } from '../../../src/api/management/v1/access-key.ts';
import type { KindRef } from '../../data/kind-ref.ts';

export function keySpec({ spec = {} }: AccessKey): AccessKeySpec {
  return spec;
}

/** True if users hold the value of the key. The server creates keys of other types for its own purposes. */
export function isUserHeld({ type = 'User' }: AccessKeySpec): boolean {
  return type === 'User' || type === 'Other';
}

/** An access key, and the kind through which the caller reaches it: their own keys, or all keys as an administrator. */
export interface KeyWithKind {
  readonly kind: KindRef<AccessKey>;
  readonly accessKey: AccessKey;
}
