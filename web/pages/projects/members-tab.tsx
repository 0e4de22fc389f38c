import { ActionIcon, Button, NativeSelect, Text, TextInput, Tooltip } from '@mantine/core';
import { useState } from 'react';
import type { ProjectMember } from '../../../src/api/management/v1/project.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
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

/** So many are seen at a glance. */
const few = 20;
/** So many are in the page at once. */
const mostShown = 200;

/** Who works in the project, and as what. */
export function MembersTab({ project }: { readonly project: KubeObject }) {
  const { name = '' } = project.metadata;
  const members = inOrder(projectSpec(project).members ?? []);
  const [words, setWords] = useState('');
  const found = members.filter((member) => member.name.includes(words.trim().toLowerCase()));
  const { allowed: mayChange } = useMay({ verb: 'update', kind: kinds.project, name, subresource: 'spec.members' });
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<ProjectMember>();

  async function change(member: ProjectMember, role: Role): Promise<void> {
    try {
      await changeMembers(name, (all) => withRole(all, member, role));
      notify.done(`${member.name} is ${roleLabel(role)} now`);
    } catch (error) {
      notify.failed(`${member.name} is what they were`, error);
    }
  }

  const add = mayChange ? (
    <Button size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      Add a member
    </Button>
  ) : undefined;
  return (
    <>
      <Panel title="Members" actions={members.length === 0 ? undefined : add}>
        {members.length === 0 ? (
          <EmptyState
            title="No members yet"
            text="Members see the project, and make and use virtual clusters in it, as far as their role goes."
            action={add}
          />
        ) : (
          <>
            {members.length > few ? (
              <TextInput
                aria-label="Search the members"
                placeholder="Search"
                leftSection={<Icon name="search" size={16} />}
                value={words}
                onChange={(event) => setWords(event.currentTarget.value)}
                maw={260}
                mb="sm"
              />
            ) : null}
            <SimpleTable
              label="Members of the project"
              head={['Name', 'Role', ...(mayChange ? [''] : [])]}
              rows={found.slice(0, mostShown).map((member) => ({
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
                            onClick={() => setLeaving(member)}
                          >
                            <Icon name="trash" size={16} />
                          </ActionIcon>
                        </Tooltip>,
                      ]
                    : []),
                ],
              }))}
            />
            {found.length > mostShown ? (
              <Text size="sm" c="dimmed" mt="sm" role="status">
                And {found.length - mostShown} more: search for whom you mean.
              </Text>
            ) : null}
          </>
        )}
      </Panel>
      <Panel title="What the roles are for">
        {roles.map(({ value, label, about }) => (
          <Text key={value} size="sm" c="dimmed">
            <strong>{label}</strong>: {about}
          </Text>
        ))}
      </Panel>
      {isAdding ? <AddMember project={name} onClose={() => setAdding(false)} /> : null}
      {leaving === undefined ? null : (
        <Confirm
          title={`Remove ${leaving.name} from ${name}?`}
          action={`Remove ${leaving.name}`}
          danger
          onClose={() => setLeaving(undefined)}
          onConfirm={async () => {
            await changeMembers(name, (all) => withoutMember(all, leaving));
            notify.done(`${leaving.name} is no member of ${name} any more`);
          }}
        >
          <Text size="sm">
            {leaving.kind === 'Team' ? 'Its users lose' : 'They lose'} the role {roleLabel(leaving.clusterRole)} at
            once. Virtual clusters that are theirs stay theirs.
          </Text>
        </Confirm>
      )}
    </>
  );
}
