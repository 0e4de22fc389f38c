import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Project, ProjectMember } from '../../../src/api/management/v1/project.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { usePermission } from '../../data/permissions.ts';
import { AddMember } from './add-member.tsx';
import { changeMembers } from './change-members.ts';
import { MemberTable } from './member-table.tsx';
import { type ProjectRole, roleLabel, roles, sortMembers, withRole } from './members.ts';
import { projectSpec } from './project-spec.ts';
import { RemoveMember } from './remove-member.tsx';

/** The tab shows a search field if the project has more members than this number. */
const searchThreshold = 20;
/** The maximum number of members that the table shows. */
const maxShown = 200;

/** A tab with the members of the project and their roles. */
export function MembersTab({ project }: { readonly project: Project }) {
  const { name = '' } = project.metadata;
  const members = sortMembers(projectSpec(project).members ?? []);
  const [search, setSearch] = useState('');
  const found = members.filter((member) => member.name.includes(search.trim().toLowerCase()));
  const { allowed: mayChange } = usePermission({
    verb: 'update',
    kind: kinds.project,
    name,
    subresource: 'spec.members',
  });
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<ProjectMember>();

  async function change(member: ProjectMember, role: ProjectRole): Promise<void> {
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
            text="The role of a member determines whether they can view the project, use virtual clusters or create them."
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
            <MemberTable
              members={found.slice(0, maxShown)}
              mayChange={mayChange}
              onChange={(member, role) => void change(member, role)}
              onRemove={setRemoving}
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
        <RemoveMember project={name} member={removing} onClose={() => setRemoving(undefined)} />
      )}
    </>
  );
}
