import { teamKind } from '../../api/management/v1/team.ts';
import { listAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { Draft } from '../../registry/resource.ts';
import type { ManagementState } from '../state.ts';

/**
 * Warns about new members that do not exist. They are allowed, since manifests may be applied in any order. The name
 * may be a typing error, however, and a user who gets that name later becomes a member.
 */
export function warnOfStrangers(
  draft: Draft,
  context: RequestContext,
  state: Pick<ManagementState, 'user' | 'team'>,
): void {
  const before = new Set(listAt(draft.old?.object, 'spec', 'members').map(memberKey));
  for (const [index, member] of listAt(draft.object, 'spec', 'members').entries()) {
    const [kind, name] = [textAt(member, 'kind'), textAt(member, 'name')];
    if (name === '' || before.has(memberKey(member))) continue;
    const isTeam = kind === teamKind.kind;
    if ((isTeam ? state.team(name) : state.user(name)) !== undefined) continue;
    context.warn(`spec.members[${index}].name: ${isTeam ? 'team' : 'user'} ${JSON.stringify(name)} does not exist yet`);
  }
}

function memberKey(member: JsonValue): string {
  return `${textAt(member, 'kind')} ${textAt(member, 'name')}`;
}
