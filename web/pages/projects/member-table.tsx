import { NativeSelect, Text } from '@mantine/core';
import type { ProjectMember } from '../../../src/api/management/v1/project.ts';
import { RemoveButton } from '../../components/delete-button.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { PrincipalLink } from '../../components/object/principal-link.tsx';
import { type ProjectRole, roleLabel, roles } from './members.ts';

export interface MemberTableProps {
  readonly members: readonly ProjectMember[];
  /** True if the caller may change roles and remove members. */
  readonly mayChange: boolean;
  onChange(member: ProjectMember, role: ProjectRole): void;
  onRemove(member: ProjectMember): void;
}

/** A table of the members of a project and their roles. */
export function MemberTable({ members, mayChange, onChange, onRemove }: MemberTableProps) {
  return (
    <SimpleTable
      label="Members of the project"
      head={['Name', 'Role', ...(mayChange ? [''] : [])]}
      rows={members.map((member) => ({
        key: `${member.kind}/${member.name}/${member.clusterRole}`,
        cells: [
          <span key="name">
            <PrincipalLink principal={member} />
            <Text span size="sm" c="dimmed">
              {member.kind === 'Team' ? ' (team)' : ''}
            </Text>
          </span>,
          mayChange ? (
            <NativeSelect
              key="role"
              size="xs"
              w={110}
              aria-label={`Role of ${member.name}`}
              value={member.clusterRole}
              data={roles.map(({ value, label }) => ({ value, label }))}
              onChange={(event) => onChange(member, event.currentTarget.value as ProjectRole)}
            />
          ) : (
            roleLabel(member.clusterRole)
          ),
          ...(mayChange
            ? [<RemoveButton key="remove" label={`Remove ${member.name}`} onClick={() => onRemove(member)} />]
            : []),
        ],
      }))}
    />
  );
}
