import { compareBytes, type JsonObject } from '@flotilla/json';
import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import type { OffboardingItem } from '../../api/management/v1/subresources/user-offboarding.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { type User, userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import { clusterOfAgentUser, projectOfNamespace } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { keeperOf } from '../access-keys/access-key-creator.ts';
import type { SharedSpecObject } from '../shared-fields.ts';
import type { ManagementState } from '../state.ts';
import { withoutUser } from './without-user.ts';

/** One write of an offboarding. */
export interface OffboardingStep {
  readonly kind: ResourceKind;
  readonly object: Pick<KubeObject, 'metadata'>;
  /** The new values of fields of the spec. `undefined` if the object is deleted. */
  readonly spec: JsonObject | undefined;
  readonly items: readonly OffboardingItem[];
}

export interface OffboardingPlan {
  /** The writes, in their order. The first disables the user, and the last deletes the user. */
  readonly steps: readonly OffboardingStep[];
  /** The credentials that become invalid as a consequence of the steps, and the keys that are kept. */
  readonly consequences: readonly OffboardingItem[];
  /** The number of objects that the user owns. */
  readonly owned: number;
}

/**
 * Plans the offboarding of a user from the current state. Steps that are already done are not planned again, so an
 * interrupted offboarding can be repeated. The scan is linear in the number of objects.
 */
export function planOffboarding(
  user: User,
  { transferTo, keepUser }: { readonly transferTo: string; readonly keepUser: boolean },
  state: ManagementState,
): OffboardingPlan {
  const name = user.metadata.name ?? '';
  const { deleted, kept } = keysToDelete(name, state);
  const changed = [...namingObjects(state)].flatMap(([kind, object]) => changeOf(kind, object, name, transferTo));
  const isDisabled = user.spec?.disabled === true;
  return {
    steps: [
      ...(isDisabled ? [] : [stepOfUser(user, 'Disable', { disabled: true })]),
      ...deleted.map((key) => ({
        kind: accessKeyKind,
        object: key,
        spec: undefined,
        items: [keyItem(key, name, 'Delete')],
      })),
      ...changed,
      ...(keepUser ? [] : [deletionOf(user)]),
    ],
    consequences: [...tokenItems(name), ...kept.map((key) => keyItem(key, name, 'Keep'))],
    owned: changed.filter(({ items }) => items.some(({ action }) => action === 'Transfer')).length,
  };
}

function stepOfUser(user: User, action: 'Disable' | 'Delete', spec: JsonObject | undefined): OffboardingStep {
  const items = [{ kind: userKind.kind, name: user.metadata.name ?? '', action }];
  return { kind: userKind, object: user, spec, items };
}

/** Returns the last step of an offboarding. */
export function deletionOf(user: User): OffboardingStep {
  return stepOfUser(user, 'Delete', undefined);
}

/**
 * Returns the keys whose values the user may have: the user's own keys, the keys that were created with them, the keys
 * that the user created for teams and other users, and the keys of teams whose value the user replaced. Keys of agents
 * are kept, because a cluster would become unreachable without its agent's key.
 */
export function keysToDelete(user: string, state: ManagementState): { deleted: AccessKey[]; kept: AccessKey[] } {
  const found = new Map<string, AccessKey>();
  const add = (key: AccessKey | undefined) => key && found.set(key.metadata.name ?? '', key);
  for (const key of state.accessKeysOf('user', user)) {
    add(key);
    for (const created of state.keysCreatedWith(key.metadata.name ?? '')) add(state.accessKey(created));
  }
  for (const key of state.accessKeys()) {
    if (key.spec?.createdBy === user || keeperOf(key, state) === user) add(key);
  }
  const sorted = [...found.values()].sort((a, b) => compareBytes(a.metadata.name ?? '', b.metadata.name ?? ''));
  const isOfAgent = ({ spec }: AccessKey) => clusterOfAgentUser(spec?.subject ?? '') !== undefined;
  return { deleted: sorted.filter((key) => !isOfAgent(key)), kept: sorted.filter(isOfAgent) };
}

function keyItem(key: AccessKey, leaving: string, action: 'Delete' | 'Keep'): OffboardingItem {
  const { user = '', team = '', subject = '', type = '' } = key.spec ?? {};
  const owner = user !== '' ? `user ${user}` : team !== '' ? `team ${team}` : `subject ${subject}`;
  const message =
    action === 'Keep'
      ? `access key of ${owner}; the user knows its value, so replace it with flotilla cluster agent-key`
      : `${type === 'Login' ? 'login' : 'access key'} of ${owner}${user === leaving ? '' : `; ${leaving} knows its value`}`;
  return { kind: accessKeyKind.kind, name: key.metadata.name ?? '', action, message };
}

/**
 * Returns items for the credentials that are not stored as objects. Such a credential ends together with the key that
 * it depends on.
 */
function tokenItems(user: string): OffboardingItem[] {
  return [
    {
      kind: 'Token',
      name: user,
      action: 'End',
      message: 'tokens in kubeconfigs and for direct endpoints become invalid with their access keys',
    },
  ];
}

/** Returns all objects that can name a user. */
export function* namingObjects(state: ManagementState): Iterable<readonly [ResourceKind, SharedSpecObject]> {
  for (const object of state.teams()) yield [teamKind, object];
  for (const project of state.projects()) {
    yield [projectKind, project];
    for (const object of state.instancesOf(project.metadata.name ?? '')) {
      yield [virtualClusterInstanceKind, object];
    }
    for (const object of state.spacesOf(project.metadata.name ?? '')) yield [spaceInstanceKind, object];
  }
  for (const object of state.clusters()) yield [clusterKind, object];
  for (const object of state.templates()) yield [virtualClusterTemplateKind, object];
  for (const object of state.spaceTemplates()) yield [spaceTemplateKind, object];
  for (const object of state.users()) yield [userKind, object];
}

/** Returns the change that removes the user from an object. Empty if the object does not name the user. */
export function changeOf(
  kind: ResourceKind,
  object: SharedSpecObject,
  user: string,
  transferTo: string,
): OffboardingStep[] {
  if (object.metadata.deletionTimestamp !== undefined) return [];
  const { grants, isOwner } = withoutUser(object.spec ?? {}, user);
  if (!isOwner && Object.keys(grants).length === 0) return [];
  const project = projectOfNamespace(object.metadata.namespace ?? '');
  const itemFor = (action: 'Transfer' | 'RemoveAccess', message: string): OffboardingItem => ({
    kind: kind.kind,
    ...(project === undefined ? {} : { project }),
    name: object.metadata.name ?? '',
    action,
    message,
  });
  return [
    {
      kind,
      object,
      spec: { ...grants, ...(isOwner && transferTo !== '' ? { owner: { user: transferTo, team: null } } : {}) },
      items: [
        ...(isOwner
          ? [itemFor('Transfer', transferTo === '' ? 'no new owner is given' : `to user ${transferTo}`)]
          : []),
        ...(Object.keys(grants).length === 0
          ? []
          : [itemFor('RemoveAccess', `from ${Object.keys(grants).join(', ')}`)]),
      ],
    },
  ];
}
