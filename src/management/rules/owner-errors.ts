import { type FieldError, fieldNotFound, forbiddenField } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { textAt } from '../../lib/json-path.ts';
import type { ManagementState } from '../state.ts';

/** Rejects more than one owner. */
export function ownerErrors(object: KubeObject, field: string): FieldError[] {
  const owner = field.split('.');
  return textAt(object, ...owner, 'user') !== '' && textAt(object, ...owner, 'team') !== ''
    ? [forbiddenField(`${field}.team`, 'the owner must be a user or a team, not both')]
    : [];
}

/** Rejects an owner that does not exist. */
export function missingOwnerErrors(
  object: KubeObject,
  field: string,
  state: Pick<ManagementState, 'user' | 'team'>,
): FieldError[] {
  const owner = field.split('.');
  const user = textAt(object, ...owner, 'user');
  const team = textAt(object, ...owner, 'team');
  return [
    ...(user !== '' && state.user(user) === undefined ? [fieldNotFound(`${field}.user`, user)] : []),
    ...(team !== '' && state.team(team) === undefined ? [fieldNotFound(`${field}.team`, team)] : []),
  ];
}
