import type { Caller } from './caller.ts';
import type { GuardedObject } from './guarded-object.ts';

/** True if the caller, or a team of the caller, is the owner of the object. */
export function owns(caller: Caller, { spec }: Pick<GuardedObject, 'spec'>): boolean {
  const { user = '', team = '' } = spec?.owner ?? {};
  if (user !== '') return user === caller.user;
  return team !== '' && caller.teams.includes(team);
}
