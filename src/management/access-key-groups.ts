import type { KubeObject } from '../api/meta.ts';
import { teamOfGroup, userOfGroup } from '../api/naming.ts';
import { flagAt, textAt, textsAt, valueAt } from '../lib/json-path.ts';
import { equalJson, type JsonObject } from '../lib/json-value.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft } from '../registry/resource.ts';
import { hiddenGivenGroups, hiddenKeyHash } from './access-key-hidden.ts';
import type { ManagementState } from './state.ts';

type Owners = Pick<ManagementState, 'user' | 'team'>;
type Keys = Owners & Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>;

/**
 * Of the groups that a key lists, those that somebody gave it. One that its owner had when it was listed is not given:
 * it follows the owner, and is lost to the key when the owner loses it.
 */
export function noteGivenGroups(draft: Draft, state: Owners): void {
  const { object, old, hidden } = draft;
  const listed = textsAt(object, 'spec', 'groups');
  const before = textsAt(old?.object, 'spec', 'groups');
  const given = old === undefined ? [] : givenGroups(old.object, old.hidden);
  if (listed.length === 0) delete hidden[hiddenGivenGroups];
  else {
    hidden[hiddenGivenGroups] = listed.filter(
      (group) => given.includes(group) || (!before.includes(group) && !followsOwner(group, object, state)),
    );
  }
}

/** The key as far as its groups are its own: what follows the owner is the owner's to have. */
export function withGivenGroups(key: KubeObject, state: Pick<ManagementState, 'accessKeyHidden'>): KubeObject {
  const listed = textsAt(key, 'spec', 'groups');
  if (listed.length === 0) return key;
  const given = givenGroups(key, state.accessKeyHidden(key.metadata.name ?? ''));
  return given.length === listed.length ? key : { ...key, spec: { ...(key.spec as JsonObject), groups: [...given] } };
}

/**
 * Why a caller who is no admin may not write this key, for its groups' sake. A key with groups besides those of the
 * caller reaches further than the caller, by its value, within its scope and for its time: none of these is theirs to
 * change. Groups that the caller has from the very key in use do not count, or it could make itself last for ever.
 */
export function groupsRefusal(draft: Draft, context: RequestContext, state: Keys): string | undefined {
  const { object, old } = draft;
  // A new key ends with the one that it is made with.
  const held = old === undefined ? context.user.groups : heldWithoutKey(context, state);
  const kept = textsAt(old?.object, 'spec', 'groups');
  const beyond = textsAt(object, 'spec', 'groups').filter((group) => !held.includes(group) && !kept.includes(group));
  if (beyond.length > 0) return `only admins may give a key groups that are not their own: ${beyond.join(', ')}`;
  if (old === undefined || givenGroups(old.object, old.hidden).every((group) => held.includes(group))) return undefined;
  return reachesFurther(draft, old.object)
    ? 'only admins may replace the value, or change the scope or the end, of a key that has groups besides their own'
    : undefined;
}

function reachesFurther({ object, hidden, old }: Draft, before: KubeObject): boolean {
  const of = (key: KubeObject, member: string) => valueAt(key, 'spec', member) ?? null;
  const differs = (member: string) => !equalJson(of(object, member), of(before, member));
  return (
    !equalJson(hidden[hiddenKeyHash], old?.hidden?.[hiddenKeyHash]) ||
    ['scope', 'ttl', 'ttlAfterLastActivity'].some(differs) ||
    (flagAt(before, 'spec', 'disabled') && !flagAt(object, 'spec', 'disabled'))
  );
}

function heldWithoutKey(context: RequestContext, state: Keys): readonly string[] {
  const used = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  if (used === undefined) return context.user.groups;
  const lent = givenGroups(used, state.accessKeyHidden(context.accessKey ?? ''));
  return context.user.groups.filter((group) => !lent.includes(group) || followsOwner(group, used, state));
}

/** A key from before this was noted has all that it lists. */
function givenGroups(key: KubeObject, hidden: JsonObject | undefined): readonly string[] {
  return hidden?.[hiddenGivenGroups] === undefined
    ? textsAt(key, 'spec', 'groups')
    : textsAt(hidden, hiddenGivenGroups);
}

/** A bare subject is what its keys say, and has nothing that they could follow. */
function followsOwner(group: string, key: KubeObject, state: Owners): boolean {
  const [user, team] = [textAt(key, 'spec', 'user'), textAt(key, 'spec', 'team')];
  if (user === '' && team === '') return false;
  if (userOfGroup(group) !== undefined || teamOfGroup(group) !== undefined) return true;
  return textsAt(user === '' ? state.team(team) : state.user(user), 'spec', 'groups').includes(group);
}
