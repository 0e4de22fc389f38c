import { type SelfStatus, selfKind } from '../../api/management/v1/self.ts';
import type { Team } from '../../api/management/v1/team.ts';
import type { User } from '../../api/management/v1/user.ts';
import { projectNamespacePrefix } from '../../api/naming.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { invalidObject } from '../../api/status.ts';
import { callerOf } from '../../auth/authz/caller.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { ManagementState } from '../state.ts';
import { computedObject } from './computed-object.ts';

export interface SelvesOptions {
  readonly state: ManagementState;
  /** The unique ID of this installation. */
  readonly instanceId: string;
}

/** POST `selves`: returns the identity of the caller. */
export function selves(options: SelvesOptions): MountedResource {
  return {
    kind: selfKind,
    verbs: {
      async create(context, sent) {
        const errors = validateSchema(selfKind.schema, sent, '');
        if (errors.length > 0) throw invalidObject(selfKind, sent.metadata.name ?? '', errors);
        return computedObject(selfKind, sent.metadata, { status: statusOf(context, options) });
      },
    },
    subresources: {},
  };
}

function statusOf(context: RequestContext, { state, instanceId }: SelvesOptions): SelfStatus {
  const caller = callerOf(context.user);
  const key = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  const scope = key?.spec?.scope ?? undefined;
  return {
    ...(caller.user === undefined ? {} : { user: describedUser(caller.user, state) }),
    ...(caller.team === undefined ? {} : { team: describePrincipal(caller.team, state.team(caller.team)) }),
    ...(context.accessKey === undefined ? {} : { accessKey: context.accessKey }),
    ...(key === undefined ? {} : { accessKeyType: key.spec?.type ?? '' }),
    ...(scope === undefined ? {} : { accessKeyScope: scope }),
    subject: context.user.name,
    groups: [...context.user.groups],
    instanceID: instanceId,
    projectNamespacePrefix,
  };
}

function describedUser(name: string, state: ManagementState): NonNullable<SelfStatus['user']> {
  const user = state.user(name);
  const email = user?.spec?.email ?? '';
  return {
    ...describePrincipal(name, user),
    username: user?.spec?.username || name,
    ...(email === '' ? {} : { email }),
    teams: state.teamsOf(name).map((team) => describePrincipal(team, state.team(team))),
  };
}

/** Returns the name of a user or team, and its display name if it has one. */
export function describePrincipal(name: string, object: User | Team | undefined): NonNullable<SelfStatus['team']> {
  const displayName = object?.spec?.displayName ?? '';
  return { name, ...(displayName === '' ? {} : { displayName }) };
}
