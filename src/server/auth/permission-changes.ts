import { equalJson } from '@flotilla/json';
import { providerTeams } from '../../api/management/identities.ts';
import { accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { type User, userKind } from '../../api/management/v1/user.ts';
import type { KubeObject } from '../../api/meta.ts';
import { agentUser } from '../../api/naming.ts';
import type { FieldsOf } from '../../api/resource.ts';
import {
  affectedPrincipals,
  permissionGrantingKinds,
  principalsNamedInProject,
  unionOfAffected,
} from '../../auth/authz/affected-principals.ts';
import type { AffectedPrincipals } from '../../auth/permission-signals.ts';
import { keeperOf } from '../../management/access-keys/access-key-creator.ts';
import { hasSameIdentities } from '../../management/identities/provider-rights.ts';
import type { ManagementState } from '../../management/state.ts';
import type { KindChange } from '../../registry/kind-store.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';

/**
 * Reports access keys that ended or whose permissions may have changed. These are changed keys, keys whose owner or
 * keeper was changed, keys with groups that depend on a changed user, and all keys that were created with one of these
 * keys. A change of a key's status is ignored, because each use of a key writes its status. A change of a user's status
 * counts, because identities in this status give permissions.
 */
export function onKeyChanges(
  kinds: KindStores,
  state: ManagementState,
  listener: (keyNames: Iterable<string>) => void,
): () => void {
  const notify = (names: Iterable<string>): void => {
    const all = new Set<string>();
    for (const name of names) {
      all.add(name);
      for (const made of state.keysCreatedWith(name)) all.add(made);
    }
    if (all.size > 0) listener(all);
  };
  const keys = storeOf(kinds, accessKeyKind);
  return unsubscribeAll([
    keys.listen(
      (change) => {
        // Does not report a new key, because no request uses it yet.
        if (change.before !== undefined && !isStatusOnly(change)) notify([nameOf(change)]);
      },
      // Reports all keys after missed changes. A new key value and a new status may have arrived as one change, which
      // `isStatusOnly` cannot recognize.
      () => notify(keys.peekAll().map(({ object }) => nameOfObject(object))),
    ),
    storeOf(kinds, userKind).listen((change) => {
      if (!isStatusOnly(change) || !hasSameIdentities(change.before?.object, change.after?.object))
        notify([
          ...keysOfUsers(state, [nameOf(change)]),
          ...keysKeptBy(nameOf(change), state),
          ...state.keysFollowing(nameOf(change)),
        ]);
    }),
    storeOf(kinds, teamKind).listen((change) => {
      if (!isStatusOnly(change)) notify(keysOfTeam(state, change));
    }),
    storeOf(kinds, clusterKind).listen((change) => {
      if (change.after === undefined) notify(keysOf(state, 'subject', agentUser(nameOf(change))));
    }),
  ]);
}

/**
 * Reports the principals whose permissions change because a project, instance, cluster, template, user or team is
 * written.
 */
export function onPermissionChanges(kinds: KindStores, listener: (affected: AffectedPrincipals) => void): () => void {
  return unsubscribeAll([
    ...permissionGrantingKinds.map((kind) =>
      storeOf(kinds, kind).listen(({ before, after }) => {
        const affected = affectedPrincipals(kind, before?.object, after?.object);
        if (affected === undefined) return;
        const team = kind.plural === teamKind.plural ? (after ?? before)?.object.metadata.name : undefined;
        listener(team === undefined ? affected : unionOfAffected(affected, ...teammatesOf(kinds, team)));
      }),
    ),
    storeOf(kinds, userKind).listen(({ before, after }) => {
      const teams = changedTeams(before?.object, after?.object);
      if (teams.length === 0) return;
      const users = new Set([(after ?? before)?.object.metadata.name ?? '']);
      const teammates = teams.flatMap((team) => [...teammatesOf(kinds, team)]);
      listener(unionOfAffected({ users, teams: new Set() }, ...teammates));
    }),
  ]);
}

/** Returns the teams that a user joins or leaves because groups at an identity provider have changed. */
function changedTeams(before: User | undefined, after: User | undefined): string[] {
  const [was, is] = [new Set(providerTeams(before)), new Set(providerTeams(after))];
  return [...[...was].filter((team) => !is.has(team)), ...[...is].filter((team) => !was.has(team))];
}

/**
 * Returns the principals of all projects that have the team as a member. A change of the team affects these principals,
 * because they can see the members of the team.
 */
function* teammatesOf(kinds: KindStores, team: string): Iterable<AffectedPrincipals> {
  for (const { object } of storeOf(kinds, projectKind).peekAll()) {
    const isMember = (object.spec?.members ?? []).some(({ kind, name }) => kind === 'Team' && name === team);
    if (isMember) yield principalsNamedInProject(object);
  }
}

function* keysOfTeam(
  state: ManagementState,
  { before, after }: KindChange<FieldsOf<typeof teamKind>>,
): Iterable<string> {
  yield* keysOf(state, 'team', (after ?? before)?.object.metadata.name ?? '');
  const members = [before, after].flatMap((version) => version?.object.spec?.users ?? []);
  const provided = state.providerMembersOf((after ?? before)?.object.metadata.name ?? '');
  yield* keysOfUsers(state, new Set([...members, ...provided]));
}

function* keysOfUsers(state: ManagementState, users: Iterable<string>): Iterable<string> {
  for (const user of users) yield* keysOf(state, 'user', user);
}

/**
 * Returns the names of the team keys that depend on this user as a member of the team. The user's address list applies
 * to these keys.
 */
function* keysKeptBy(user: string, state: ManagementState): Iterable<string> {
  for (const team of state.teamsOf(user)) {
    for (const key of state.accessKeysOf('team', team)) if (keeperOf(key, state) === user) yield nameOfObject(key);
  }
}

function* keysOf(state: ManagementState, member: 'user' | 'team' | 'subject', name: string): Iterable<string> {
  for (const key of state.accessKeysOf(member, name)) yield nameOfObject(key);
}

/**
 * True if a write of a key changed its status and did not increase its generation. A write of a new key value leaves
 * the status unchanged, so the result is then false.
 */
function isStatusOnly({ before, after }: KindChange): boolean {
  const [was, is] = [before?.object.metadata, after?.object.metadata];
  return (
    was !== undefined &&
    was.uid === is?.uid &&
    was.generation === is?.generation &&
    was.deletionTimestamp === is?.deletionTimestamp &&
    !equalJson(before?.object.status, after?.object.status)
  );
}

function nameOf({ before, after }: KindChange): string {
  return nameOfObject((after ?? before)?.object);
}

function nameOfObject(object: KubeObject | undefined): string {
  return object?.metadata.name ?? '';
}

function unsubscribeAll(stops: readonly (() => void)[]): () => void {
  return () => {
    for (const stop of stops) stop();
  };
}
