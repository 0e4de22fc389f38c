import type { ProjectMember } from '../../api/management/v1/project.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ProjectDraft } from '../drafts.ts';
import type { ManagementState } from '../state.ts';

/**
 * Warns about new members of a project that do not exist. Such members are allowed, because manifests may be applied in
 * any order. But the name may be misspelled, and if a user with this name is created later, this user becomes a member.
 */
export function warnAboutUnknownMembers(
  draft: ProjectDraft,
  context: RequestContext,
  state: Pick<ManagementState, 'user' | 'team'>,
): void {
  const before = new Set(draft.old?.object.spec?.members?.map(memberKey));
  for (const [index, member] of (draft.object.spec?.members ?? []).entries()) {
    const { kind, name = '' } = member;
    if (name === '' || before.has(memberKey(member))) continue;
    const isTeam = kind === teamKind.kind;
    if ((isTeam ? state.team(name) : state.user(name)) !== undefined) continue;
    context.warn(`spec.members[${index}].name: ${isTeam ? 'team' : 'user'} ${JSON.stringify(name)} does not exist yet`);
  }
}

function memberKey({ kind, name }: ProjectMember): string {
  return `${kind} ${name}`;
}
