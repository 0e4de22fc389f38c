import { type KindRef, kinds } from '../../data/kind-ref.ts';
import { usePermissions } from '../../data/permissions.ts';

export interface KeyPermissions {
  readonly mayCreate: boolean;
  readonly mayChange: boolean;
  readonly mayDelete: boolean;
}

/** Returns the caller's permissions on access keys of this kind. */
export function useKeyPermissions(kind: KindRef): KeyPermissions {
  const [create, change, remove] = usePermissions([
    { verb: 'create', kind: kinds.ownedKey },
    { verb: 'patch', kind },
    { verb: 'delete', kind },
  ]);
  return {
    mayCreate: create?.allowed === true,
    mayChange: change?.allowed === true,
    mayDelete: remove?.allowed === true,
  };
}
