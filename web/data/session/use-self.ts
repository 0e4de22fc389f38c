import { queryOptions, useQuery } from '@tanstack/react-query';
import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import { adminsGroup, auditorsGroup } from '../../../src/api/naming.ts';
import { readSelf } from './read-self.ts';
import { session } from './session.ts';

export const selfQuery = queryOptions({
  queryKey: ['self'],
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
  queryFn: async ({ signal }): Promise<SelfStatus> => {
    const self = await readSelf(signal);
    session.confirm(self.subject ?? '', self.accessKey ?? '');
    return self;
  },
});

/** The signed-in caller. */
export function useSelf(): Self {
  const { data } = useQuery(selfQuery);
  const isIn = (group: string) => data?.groups?.includes(group) === true;
  return { self: data, isAdmin: isIn(adminsGroup), isAuditor: isIn(auditorsGroup) };
}

interface Self {
  readonly self: SelfStatus | undefined;
  readonly isAdmin: boolean;
  readonly isAuditor: boolean;
}
