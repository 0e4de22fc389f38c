import type { ProjectMember } from '../../../api/management/v1/project.ts';
import { projectRoles } from '../../../api/naming.ts';
import { CliError, exitCodes, usageError } from '../../cli-error.ts';
import type { CallValues } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { changeObject } from '../../connection/change-object.ts';
import { rejectUnknownNames } from '../../connection/reject-unknown-names.ts';
import { withServer } from '../../connection/server-api.ts';
import { projects, teams, users } from '../../kinds.ts';

type Action = 'add' | 'edit' | 'remove';
type MemberName = Pick<ProjectMember, 'kind' | 'name'>;

function resultText(action: Action, member: string, project: string): string {
  if (action === 'add') return `${member} added to project "${project}"`;
  if (action === 'remove') return `${member} removed from project "${project}"`;
  return `role of ${member} in project "${project}" changed`;
}

/** Returns the command that adds or removes a project member, or changes the member's role. */
export function changeMember(action: Action): CommandRun {
  return async (call) =>
    await withServer(call, async (api) => {
      const { values, terminal, interrupted: signal } = call;
      const { project } = api.access;
      const member: MemberName = { kind: values.flag('team') ? 'Team' : 'User', name: values.argument('name') };
      if (action === 'add')
        await rejectUnknownNames(api, [{ kind: values.flag('team') ? teams : users, name: member.name }], call);
      await changeObject(api, { kind: projects, name: project, signal }, ({ spec }) => ({
        members: changed({ action, project, values }, spec?.members ?? [], member),
      }));
      terminal.print(`${resultText(action, labelOf(member), project)}\n`);
      return undefined;
    });
}

function labelOf({ kind, name }: MemberName): string {
  return `${kind.toLowerCase()} "${name}"`;
}

interface MemberChange {
  readonly action: Action;
  readonly project: string;
  readonly values: CallValues;
}

function changed(
  { action, project, values }: MemberChange,
  before: readonly ProjectMember[],
  member: MemberName,
): ProjectMember[] {
  const isSame = ({ kind, name }: ProjectMember) => kind === member.kind && name === member.name;
  const isMember = before.some(isSame);
  const label = labelOf(member);
  if (action === 'add' && isMember) {
    throw new CliError(`${label} is already a member of project "${project}"`, {
      exitCode: exitCodes.conflict,
      next: 'change the role with: flotilla member edit',
    });
  }
  if (action !== 'add' && !isMember) {
    const next = `list members with: flotilla member list -p ${project}`;
    throw new CliError(`${label} is not a member of project "${project}"`, { exitCode: exitCodes.notFound, next });
  }
  const others = before.filter((entry) => !isSame(entry));
  return action === 'remove' ? others : [...others, { ...member, clusterRole: roleOf(values) }];
}

function roleOf(values: CallValues): ProjectMember['clusterRole'] {
  const role = values.text('role') ?? 'user';
  const known = Object.entries(projectRoles).find(([word, name]) => word === role || name === role);
  if (known === undefined) throw usageError(`--role ${role}: must be one of ${Object.keys(projectRoles).join(', ')}`);
  return known[1];
}
