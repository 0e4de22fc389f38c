import { useMemo } from 'react';
import { kinds } from '../data/kind-ref.ts';
import { usePermissions } from '../data/permissions.ts';
import { useSelf } from '../data/session/use-self.ts';
import { type Destination, destinations } from './navigation.ts';

/** Returns the pages of the navigation that the user may open. */
export function usePermittedDestinations(): readonly Destination[] {
  const { isAdmin, isAuditor } = useSelf();
  const allowed = usePermissions(
    destinations.map(({ requiresList }) => ({ verb: 'list', kind: requiresList ?? kinds.instance })),
  )
    .map((permission) => (permission.allowed ? '1' : '0'))
    .join('');
  return useMemo(
    () =>
      destinations.filter(({ requiresList, isForAuditors }, index) => {
        if (requiresList !== undefined && allowed[index] !== '1') return false;
        return isForAuditors !== true || isAdmin || isAuditor;
      }),
    [allowed, isAdmin, isAuditor],
  );
}
