import { compareBytes } from '@flotilla/json';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { teamAccessKeysKind, userAccessKeysKind } from '../../api/management/v1/entity-access-keys.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { notFound } from '../../api/status.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import type { ManagementState } from '../state.ts';
import { computedObject } from './computed-object.ts';

/** GET `users/<name>/accesskeys`: returns the access keys of a user. */
export function userAccessKeys(state: ManagementState): MountedSubresource {
  return keysOf(userAccessKeysKind, userKind, 'user', state);
}

/** GET `teams/<name>/accesskeys`: returns the access keys of a team. */
export function teamAccessKeys(state: ManagementState): MountedSubresource {
  return keysOf(teamAccessKeysKind, teamKind, 'team', state);
}

function keysOf(
  kind: ResourceKind,
  parent: ResourceKind,
  member: 'user' | 'team',
  state: ManagementState,
): MountedSubresource {
  return {
    kind,
    verbs: {
      async get(_context, name) {
        if (state[member](name) === undefined) throw notFound(groupResourceOf(parent), name);
        const accessKeys = [...state.accessKeysOf(member, name)].sort(byName);
        return computedObject(kind, { name }, { accessKeys });
      },
    },
  };
}

function byName(a: AccessKey, b: AccessKey): number {
  return compareBytes(a.metadata.name ?? '', b.metadata.name ?? '');
}
