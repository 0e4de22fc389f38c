import type { ProjectMember } from '../../api/management/v1/project.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ProjectDraft } from '../drafts.ts';
import type { ManagementState } from '../state.ts';

/**
 * Warns about new members that do not exist. They are allowed, since manifests may be applied in any order. The name
 * may be a typing error, however, and a user who gets that name later becomes a member.
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
