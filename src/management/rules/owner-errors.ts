import { type FieldError, fieldNotFound, forbiddenField } from '../../api/field-error.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import type { ManagementState } from '../state.ts';

/** Rejects an owner that is both a user and a team. */
export function ownerErrors({ user = '', team = '' }: Owner = {}, field: string): FieldError[] {
  return user !== '' && team !== ''
    ? [forbiddenField(`${field}.team`, 'the owner must be a user or a team, not both')]
    : [];
}

/** Rejects an owner that does not exist. */
export function missingOwnerErrors(
  { user = '', team = '' }: Owner = {},
  field: string,
  state: Pick<ManagementState, 'user' | 'team'>,
): FieldError[] {
  return [
    ...(user !== '' && state.user(user) === undefined ? [fieldNotFound(`${field}.user`, user)] : []),
    ...(team !== '' && state.team(team) === undefined ? [fieldNotFound(`${field}.team`, team)] : []),
  ];
}
