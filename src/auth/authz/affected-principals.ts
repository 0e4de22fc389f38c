import { equalJson, type JsonObject, type JsonValue } from '@flotilla/json';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { type Project, projectKind } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import { type Team, teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import {
  type VirtualClusterTemplate,
  virtualClusterTemplateKind,
} from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject, TypedObject } from '../../api/meta.ts';
import { type ResourceKind, typedObject } from '../../api/resource.ts';
import type { AffectedPrincipals } from '../permission-signals.ts';
import type { GuardedObject } from './guarded-object.ts';

type Rule = (before: KubeObject | undefined, after: KubeObject | undefined) => AffectedPrincipals;

const rules: ReadonlyMap<string, Rule> = new Map([
  ruleOf(projectKind, byProject),
  ruleOf(virtualClusterInstanceKind, byInstance),
  ruleOf(spaceInstanceKind, byInstance),
  ruleOf(clusterKind, byOwnAccess),
  ruleOf(virtualClusterTemplateKind, byTemplate),
  ruleOf(spaceTemplateKind, byTemplate),
  ruleOf(userKind, byOwnAccess),
  ruleOf(teamKind, byTeam),
]);

function ruleOf<Fields extends JsonObject>(
  kind: ResourceKind<Fields>,
  rule: (before: TypedObject<Fields> | undefined, after: TypedObject<Fields> | undefined) => AffectedPrincipals,
): readonly [string, Rule] {
  const typed = (object: KubeObject | undefined) => (object === undefined ? undefined : typedObject(kind, object));
  return [kind.plural, (before, after) => rule(typed(before), typed(after))];
}

/** The kinds whose objects can grant permissions to callers. */
export const permissionGrantingKinds: readonly ResourceKind[] = [
  projectKind,
  virtualClusterInstanceKind,
  spaceInstanceKind,
  clusterKind,
  virtualClusterTemplateKind,
  spaceTemplateKind,
  userKind,
  teamKind,
];

/**
 * Returns the principals whose permissions change if this object changes from `before` to `after`. `undefined` if there
 * are none. The result includes principals who can see other objects after the change, and principals whose open
 * streams must end. The result omits principals who only gain or lose access to the object itself, because watches
 * handle that change. It also omits changes to the groups of a user, because these changes are reported for each access
 * key of the user.
 */
export function affectedPrincipals(
  kind: Pick<ResourceKind, 'plural'>,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): AffectedPrincipals {
  const isSameSpec =
    before !== undefined &&
    before.metadata.uid === after?.metadata.uid &&
    before.metadata.generation === after?.metadata.generation;
  return isSameSpec ? undefined : rules.get(kind.plural)?.(before, after);
}

/** Returns all principals that a project names. They can see the permissions and the members of the project. */
export function principalsNamedInProject(project: Project | undefined): AffectedPrincipals {
  return named([...ownerEntries(project), ...memberEntries(project), ...accessEntries(project)]);
}

const projectFields = ['owner', 'members', 'access', 'allowedClusters', 'allowedTemplates'] as const;

function byProject(before: Project | undefined, after: Project | undefined): AffectedPrincipals {
  const isChanged = projectFields.some((field) => !equalJson(before?.spec?.[field], after?.spec?.[field]));
  if (!isChanged && before !== undefined && after !== undefined) return undefined;
  return unionOfAffected(principalsNamedInProject(before), principalsNamedInProject(after));
}

/**
 * Returns the principals that an update of an instance affects. `undefined` if the instance is created or deleted,
 * because that affects only the visibility of the instance itself.
 */
function byInstance(
  before: VirtualClusterInstance | undefined,
  after: VirtualClusterInstance | undefined,
): AffectedPrincipals {
  if (before === undefined || after === undefined) return undefined;
  const inRules = ({ spec }: VirtualClusterInstance) => [
    ...(spec?.extraAccessRules ?? []),
    ...(spec?.template?.access?.rules ?? []),
  ];
  const rolesDiffer = !equalJson(before.spec?.template?.access, after.spec?.template?.access);
  const extraRulesDiffer = !equalJson(before.spec?.extraAccessRules, after.spec?.extraAccessRules);
  return unionOfAffected(
    byOwnAccess(before, after),
    extraRulesDiffer || rolesDiffer ? named([...inRules(before), ...inRules(after)]) : undefined,
    rolesDiffer ? unionOfAffected(named(ownerEntries(after)), named(accessEntries(after))) : undefined,
  );
}

/**
 * Returns the principals that an update of a template affects. A template defines the roles inside its virtual
 * clusters, so a change to the roles affects everybody.
 */
function byTemplate(
  before: VirtualClusterTemplate | undefined,
  after: VirtualClusterTemplate | undefined,
): AffectedPrincipals {
  if (before === undefined || after === undefined) return undefined;
  const roles = ({ spec }: VirtualClusterTemplate): JsonValue[] => [
    spec?.template?.access ?? null,
    ...(spec?.versions ?? []).map(({ template }) => template?.access ?? null),
  ];
  return equalJson(roles(before), roles(after)) ? byOwnAccess(before, after) : 'everybody';
}

function byTeam(before: Team | undefined, after: Team | undefined): AffectedPrincipals {
  const [was, is] = [new Set(before?.spec?.users), new Set(after?.spec?.users)];
  const moved = [...was].filter((user) => !is.has(user)).concat([...is].filter((user) => !was.has(user)));
  return unionOfAffected(moved.length === 0 ? undefined : named([{ users: moved }]), byOwnAccess(before, after));
}

function byOwnAccess(before: GuardedObject | undefined, after: GuardedObject | undefined): AffectedPrincipals {
  if (before === undefined || after === undefined) return undefined;
  return unionOfAffected(
    equalJson(before.spec?.owner, after.spec?.owner)
      ? undefined
      : named([...ownerEntries(before), ...ownerEntries(after)]),
    equalJson(before.spec?.access, after.spec?.access)
      ? undefined
      : named([...accessEntries(before), ...accessEntries(after)]),
  );
}

/** An entry of an `access` list, or an access rule. The entry names users and teams. */
interface NamingEntry {
  readonly users?: readonly string[];
  readonly teams?: readonly string[];
}

function accessEntries(object: GuardedObject | undefined): readonly NamingEntry[] {
  return object?.spec?.access ?? [];
}

function ownerEntries(object: GuardedObject | undefined): readonly NamingEntry[] {
  const { user = '', team = '' } = object?.spec?.owner ?? {};
  return [{ users: user === '' ? [] : [user], teams: team === '' ? [] : [team] }];
}

function memberEntries(project: Project | undefined): readonly NamingEntry[] {
  return (project?.spec?.members ?? []).map(({ kind, name }) =>
    kind === 'Team' ? { teams: [name] } : { users: [name] },
  );
}

/** Returns the principals that the entries name. `*` means everybody. */
function named(list: readonly NamingEntry[]): AffectedPrincipals {
  const users = new Set(list.flatMap((entry) => entry.users ?? []));
  const teams = new Set(list.flatMap((entry) => entry.teams ?? []));
  if (users.has('*') || teams.has('*')) return 'everybody';
  return users.size + teams.size === 0 ? undefined : { users, teams };
}

export function unionOfAffected(...parts: readonly AffectedPrincipals[]): AffectedPrincipals {
  const present = parts.filter((part) => part !== undefined);
  if (present.length === 0) return undefined;
  const users = new Set<string>();
  const teams = new Set<string>();
  for (const part of present) {
    if (part === 'everybody') return 'everybody';
    for (const user of part.users) users.add(user);
    for (const team of part.teams) teams.add(team);
  }
  return { users, teams };
}
