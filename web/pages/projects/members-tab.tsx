import { ActionIcon, Button, NativeSelect, Text, TextInput, Tooltip } from '@mantine/core';
import { useState } from 'react';
import type { Project, ProjectMember } from '../../../src/api/management/v1/project.ts';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { notify } from '../../components/notices.tsx';
import { Panel } from '../../components/panel.tsx';
import { PrincipalLink } from '../../components/principal-link.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { useMay } from '../../data/permissions.ts';
import { AddMember } from './add-member.tsx';
import { changeMembers } from './change-members.ts';
import { inOrder, type Role, roleLabel, roles, withoutMember, withRole } from './members.ts';
import { projectSpec } from './project-spec.ts';

/** Above this number of members the tab shows a search field. */
const searchThreshold = 20;
/** The maximum number of rendered rows. */
const maxShown = 200;

/** The members of the project and their roles. */
export function MembersTab({ project }: { readonly project: Project }) {
  const { name = '' } = project.metadata;
  const members = inOrder(projectSpec(project).members ?? []);
  const [search, setSearch] = useState('');
  const found = members.filter((member) => member.name.includes(search.trim().toLowerCase()));
  const { allowed: mayChange } = useMay({ verb: 'update', kind: kinds.project, name, subresource: 'spec.members' });
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<ProjectMember>();

  async function change(member: ProjectMember, role: Role): Promise<void> {
    try {
      await changeMembers(name, (all) => withRole(all, member, role));
      notify.done(`Changed role of ${member.name} to ${roleLabel(role)}`);
    } catch (error) {
      notify.failed(`Failed to change role of ${member.name}`, error);
    }
  }

  const add = mayChange ? (
    <Button size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      Add member
    </Button>
  ) : undefined;
  return (
    <>
      <Panel title="Members" actions={members.length === 0 ? undefined : add}>
        {members.length === 0 ? (
          <EmptyState
            title="No members yet"
            text="Members can view the project, and create and use virtual clusters in it, depending on their role."
            action={add}
          />
        ) : (
          <>
            {members.length > searchThreshold ? (
              <TextInput
                aria-label="Search members"
                placeholder="Search"
                leftSection={<Icon name="search" size={16} />}
                value={search}
                onChange={(event) => setSearch(event.currentTarget.value)}
                maw={260}
                mb="sm"
              />
            ) : null}
            <SimpleTable
              label="Members of the project"
              head={['Name', 'Role', ...(mayChange ? [''] : [])]}
              rows={found.slice(0, maxShown).map((member) => ({
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
                      onChange={(event) => void change(member, event.currentTarget.value as Role)}
                    />
                  ) : (
                    roleLabel(member.clusterRole)
                  ),
                  ...(mayChange
                    ? [
                        <Tooltip key="remove" label={`Remove ${member.name}`}>
                          <ActionIcon
                            variant="subtle"
                            color="gray"
                            aria-label={`Remove ${member.name}`}
                            onClick={() => setRemoving(member)}
                          >
                            <Icon name="trash" size={16} />
                          </ActionIcon>
                        </Tooltip>,
                      ]
                    : []),
                ],
              }))}
            />
            {found.length > maxShown ? (
              <Text size="sm" c="dimmed" mt="sm" role="status">
                And {found.length - maxShown} more. Search to find a member.
              </Text>
            ) : null}
          </>
        )}
      </Panel>
      <Panel title="Roles">
        {roles.map(({ value, label, about }) => (
          <Text key={value} size="sm" c="dimmed">
            <strong>{label}</strong>: {about}
          </Text>
        ))}
      </Panel>
      {isAdding ? <AddMember project={name} onClose={() => setAdding(false)} /> : null}
      {removing === undefined ? null : (
        <Confirm
          title={`Remove ${removing.name} from ${name}?`}
          action={`Remove ${removing.name}`}
          danger
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await changeMembers(name, (all) => withoutMember(all, removing));
            notify.done(`Removed ${removing.name} from ${name}`);
          }}
        >
          <Text size="sm">
            {removing.kind === 'Team' ? 'Its members lose' : 'The user loses'} the role{' '}
            {roleLabel(removing.clusterRole)} at once. Their own virtual clusters are kept.
          </Text>
        </Confirm>
      )}
    </>
  );
}
