import { type KindRef, kinds } from '../../data/kind-ref.ts';
import { useMayEach } from '../../data/permissions.ts';

export interface KeyRights {
  readonly mayCreate: boolean;
  readonly mayChange: boolean;
  readonly mayDelete: boolean;
}

/** The caller's permissions on access keys of this kind. */
export function useKeyRights(kind: KindRef): KeyRights {
  const [create, change, remove] = useMayEach([
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
