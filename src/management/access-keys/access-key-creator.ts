import { equalJson } from '@flotilla/json';
import type { AccessKey, AccessKeySpec } from '../../api/management/v1/access-key.ts';
import { callerOf } from '../../auth/authz/caller.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import { isGone } from '../identities/provider-rights.ts';
import type { ManagementState } from '../state.ts';
import { hiddenKeeper, hiddenKeyHash } from './access-key-hidden.ts';

type Lookups = Pick<ManagementState, 'accessKey' | 'teamsOf'>;

/** The creator of an access key: the members of its spec that name the user and the credential. */
type Creator = Pick<AccessKeySpec, 'createdBy' | 'createdWith'>;

/**
 * Returns the user and the credential that sent the request. The user is the owner of the access key that authenticated
 * the request, even if the request impersonates another user.
 */
export function creatorOf(context: RequestContext, state: Pick<ManagementState, 'accessKey'>): Creator {
  const { accessKey, user } = context;
  const used = accessKey === undefined ? undefined : state.accessKey(accessKey);
  return {
    createdBy: used?.spec?.user || (callerOf(user).user ?? user.name),
    ...(accessKey === undefined ? {} : { createdWith: accessKey }),
  };
}

/**
 * Records the creator of a new key. For a team's key, also records the keeper: the team member on whom the key depends.
 */
export function recordCreator(
  draft: AccessKeyDraft,
  spec: AccessKeySpec,
  context: RequestContext,
  state: Lookups,
): void {
  if (context.system) {
    // A login that is opened beside another login already has that login as its creator, not the access key that opened
    // both.
    if (context.accessKey !== undefined && spec.createdWith === undefined)
      Object.assign(spec, creatorOf(context, state));
    return;
  }
  if (draft.old === undefined) Object.assign(spec, creatorOf(context, state));
  else if (!takesOver(draft, spec)) return;
  const { team = '' } = spec;
  const { createdBy: caller = '' } = creatorOf(context, state);
  if (team !== '' && state.teamsOf(caller).includes(team)) draft.hidden[hiddenKeeper] = caller;
  else delete draft.hidden[hiddenKeeper];
}

/**
 * True if an update enables the key or replaces its value. The caller then becomes the keeper of the key, the team
 * member on whom the key depends.
 */
function takesOver({ old, hidden }: AccessKeyDraft, spec: AccessKeySpec): boolean {
  const isEnabled = old?.object.spec?.disabled === true && spec.disabled !== true;
  return isEnabled || !equalJson(hidden[hiddenKeyHash], old?.hidden?.[hiddenKeyHash]);
}

/**
 * Returns the keeper of a team's key: the team member on whom the key depends. `undefined` if the key has no keeper.
 */
export function keeperOf(key: AccessKey, state: Pick<ManagementState, 'accessKeyHidden'>): string | undefined {
  // Checked first, because every authentication calls this function, and most keys belong to users.
  if ((key.spec?.team ?? '') === '') return undefined;
  return state.accessKeyHidden(key.metadata.name ?? '')?.[hiddenKeeper] || undefined;
}

/**
 * Returns the reason why a team's key has lost its keeper, the team member on whom it depends; `undefined` if the key
 * has not lost its keeper.
 */
export function lostKeeperReason(
  key: AccessKey,
  state: Pick<ManagementState, 'user' | 'userHidden' | 'passwordsEnabled' | 'teamsOf' | 'accessKeyHidden'>,
): string | undefined {
  const { team = '' } = key.spec ?? {};
  const keeper = keeperOf(key, state);
  if (keeper === undefined) return undefined;
  const user = state.user(keeper);
  if (user === undefined) return `user "${keeper}", who created or last renewed it, was deleted`;
  if (user.spec?.disabled === true) return `user "${keeper}", who created or last renewed it, is disabled`;
  if (isGone(user, state)) return `user "${keeper}", who created or last renewed it, is gone at the identity provider`;
  return state.teamsOf(keeper).includes(team)
    ? undefined
    : `user "${keeper}", who created or last renewed it, left team "${team}"`;
}
