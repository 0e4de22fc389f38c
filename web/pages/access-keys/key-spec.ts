import type { AccessKeySpec } from '../../../src/api/management/v1/access-key.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import type { KindRef } from '../../data/kind-ref.ts';

export function keySpec({ spec }: KubeObject): AccessKeySpec {
  return (spec ?? {}) as AccessKeySpec;
}

/** Those that the server makes for its own purposes have no value that somebody keeps. */
export function hasOwnValue({ type = 'User' }: AccessKeySpec): boolean {
  return type === 'User' || type === 'Other';
}

/** A key, and through which kind one gets at it: as one's own, or as an administrator. */
export interface KeyAt {
  readonly kind: KindRef;
  readonly accessKey: KubeObject;
}
