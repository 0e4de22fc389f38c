import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { listAt, textAt, textsAt, valueAt } from '../../lib/json-path.ts';
import { equalJson, type JsonValue } from '../../lib/json-value.ts';
import type { Affected } from '../rights-signals.ts';

type Version = KubeObject | undefined;
type Rule = (before: Version, after: Version) => Affected;

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [projectKind.plural, byProject],
  [virtualClusterInstanceKind.plural, byInstance],
  [clusterKind.plural, byOwnAccess],
  [virtualClusterTemplateKind.plural, byTemplate],
  [userKind.plural, byOwnAccess],
  [teamKind.plural, byTeam],
]);

/** The kinds whose objects grant permissions to callers other than those who may write them. */
export const kindsWithRights: readonly ResourceKind[] = [
  projectKind,
  virtualClusterInstanceKind,
  clusterKind,
  virtualClusterTemplateKind,
  userKind,
  teamKind,
];

/**
 * Returns the principals whose permissions a change of this object affects, `undefined` if there are none. Visibility
 * of the object itself is not reported: a watch adds or removes it on its own as it is written. Reported are the
 * consequences elsewhere: other objects that become visible, and open streams. Changes of a user's own groups are
 * handled by the user's keys.
 */
export function affectedBy(kind: Pick<ResourceKind, 'plural'>, before: Version, after: Version): Affected {
  const isSameSpec =
    before !== undefined &&
    before.metadata.uid === after?.metadata.uid &&
    before.metadata.generation === after?.metadata.generation;
  return isSameSpec ? undefined : rules.get(kind.plural)?.(before, after);
}

/** All principals that a project names: they can see what it allows and who its members are. */
export function namedInProject(project: Version): Affected {
  return named([...ownerEntries(project), ...memberEntries(project), ...entries(project, 'access')]);
}

const projectFields = ['owner', 'members', 'access', 'allowedClusters', 'allowedTemplates'] as const;

function byProject(before: Version, after: Version): Affected {
  if (!differs(before, after, projectFields) && before !== undefined && after !== undefined) return undefined;
  return union(namedInProject(before), namedInProject(after));
}

/** Creating an instance makes nothing but itself visible, and deleting it removes nothing else. */
function byInstance(before: Version, after: Version): Affected {
  if (before === undefined || after === undefined) return undefined;
  const inRules = (version: Version) => [
    ...entries(version, 'extraAccessRules'),
    ...listAt(version, 'spec', 'template', 'access', 'rules'),
  ];
  const rolesDiffer = !equalJson(
    valueAt(before, 'spec', 'template', 'access'),
    valueAt(after, 'spec', 'template', 'access'),
  );
  return union(
    byOwnAccess(before, after),
    differs(before, after, ['extraAccessRules']) || rolesDiffer
      ? named([...inRules(before), ...inRules(after)])
      : undefined,
    rolesDiffer ? union(named(ownerEntries(after)), named(entries(after, 'access'))) : undefined,
  );
}

/** The template defines the roles of callers inside its virtual clusters, so a change affects all of their users. */
function byTemplate(before: Version, after: Version): Affected {
  if (before === undefined || after === undefined) return undefined;
  const roles = (version: Version): JsonValue[] => [
    valueAt(version, 'spec', 'template', 'access') ?? null,
    ...listAt(version, 'spec', 'versions').map((each) => valueAt(each, 'template', 'access') ?? null),
  ];
  return equalJson(roles(before), roles(after)) ? byOwnAccess(before, after) : 'everybody';
}

function byTeam(before: Version, after: Version): Affected {
  const members = (version: Version) => textsAt(version, 'spec', 'users');
  const [was, is] = [new Set(members(before)), new Set(members(after))];
  const moved = [...was].filter((user) => !is.has(user)).concat([...is].filter((user) => !was.has(user)));
  return union(moved.length === 0 ? undefined : named([{ users: moved }]), byOwnAccess(before, after));
}

function byOwnAccess(before: Version, after: Version): Affected {
  if (before === undefined || after === undefined) return undefined;
  return union(
    differs(before, after, ['owner']) ? named([...ownerEntries(before), ...ownerEntries(after)]) : undefined,
    differs(before, after, ['access']) ? named([...entries(before, 'access'), ...entries(after, 'access')]) : undefined,
  );
}

function differs(before: Version, after: Version, fields: readonly string[]): boolean {
  return fields.some((field) => !equalJson(valueAt(before, 'spec', field), valueAt(after, 'spec', field)));
}

function entries(object: Version, field: string): readonly JsonValue[] {
  return listAt(object, 'spec', field);
}

function ownerEntries(object: Version): JsonValue[] {
  const [user, team] = [textAt(object, 'spec', 'owner', 'user'), textAt(object, 'spec', 'owner', 'team')];
  return [{ users: user === '' ? [] : [user], teams: team === '' ? [] : [team] }];
}

function memberEntries(project: Version): JsonValue[] {
  return entries(project, 'members').map((member) => ({
    [textAt(member, 'kind') === 'Team' ? 'teams' : 'users']: [textAt(member, 'name')],
  }));
}

/** The principals that entries with `users` and `teams` name; `*` means everybody. */
function named(list: readonly JsonValue[]): Affected {
  const users = new Set(list.flatMap((entry) => textsAt(entry, 'users')));
  const teams = new Set(list.flatMap((entry) => textsAt(entry, 'teams')));
  if (users.has('*') || teams.has('*')) return 'everybody';
  return users.size + teams.size === 0 ? undefined : { users, teams };
}

export function union(...parts: readonly Affected[]): Affected {
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
