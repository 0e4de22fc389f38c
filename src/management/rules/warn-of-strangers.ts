import { teamKind } from '../../api/management/v1/team.ts';
import { listAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { Draft } from '../../registry/resource.ts';
import type { ManagementState } from '../state.ts';

/**
 * A member need not be there yet: manifests come in any order. Whoever adds one that is not is told so, for it may be a
 * typing error, and whoever gets that name later is a member.
 */
export function warnOfStrangers(
  draft: Draft,
  context: RequestContext,
  state: Pick<ManagementState, 'user' | 'team'>,
): void {
  const known = new Set(listAt(draft.old?.object, 'spec', 'members').map(memberKey));
  for (const [index, member] of listAt(draft.object, 'spec', 'members').entries()) {
    const [kind, name] = [textAt(member, 'kind'), textAt(member, 'name')];
    if (name === '' || known.has(memberKey(member))) continue;
    const isTeam = kind === teamKind.kind;
    if ((isTeam ? state.team(name) : state.user(name)) !== undefined) continue;
    context.warn(`spec.members[${index}].name: there is no ${isTeam ? 'team' : 'user'} ${JSON.stringify(name)} yet`);
  }
}

function memberKey(member: JsonValue): string {
  return `${textAt(member, 'kind')} ${textAt(member, 'name')}`;
}
