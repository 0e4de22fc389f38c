import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { User } from '../../../src/api/management/v1/user.ts';
import { RemoveButton } from '../../components/delete-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { Age } from '../../components/object/age.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import { PrincipalLink } from '../../components/object/principal-link.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { usePermission } from '../../data/permissions.ts';
import { useSelf } from '../../data/session/use-self.ts';
import { AddToTeam } from './add-to-team.tsx';
import { RemoveFromTeam } from './remove-from-team.tsx';
import { SecondFactor } from './second-factor.tsx';
import { roleGroups, roleOfUser, teamsOfUser, userSpec } from './user-spec.ts';

/** A tab with the details and teams of a user. */
export function UserOverview({ user }: { readonly user: User }) {
  const { self } = useSelf();
  const isSelf = self?.user?.name !== undefined && self.user.name === user.metadata.name;
  const { email, username, subject, description, disabled, groups = [] } = userSpec(user);
  return (
    <>
      <Panel title="Details">
        <DetailList
          items={{
            Status: <StatusBadge status={disabled === true ? 'Disabled' : 'Active'} />,
            Role: roleOfUser(user) === 'User' ? undefined : roleOfUser(user),
            Description: description,
            Email: email,
            Username: username,
            Subject: subject,
            Groups: <Groups groups={groups.filter((group) => !roleGroups.includes(group))} />,
            Age: <Age since={user.metadata.creationTimestamp} />,
          }}
        />
      </Panel>
      {isSelf ? <SecondFactor /> : null}
      <Teams user={user} />
    </>
  );
}

export function Groups({ groups }: { readonly groups: readonly string[] }) {
  if (groups.length === 0)
    return (
      <Text span inherit c="dimmed">
        None
      </Text>
    );
  return (
    <Group gap={6}>
      {groups.map((group) => (
        <Badge key={group} variant="default" tt="none" radius="sm">
          {group}
        </Badge>
      ))}
    </Group>
  );
}

function Teams({ user }: { readonly user: User }) {
  const { name = '' } = user.metadata;
  const teams = teamsOfUser(user);
  // One check covers all teams, because the permission does not depend on the team.
  const { allowed } = usePermission({ verb: 'update', kind: kinds.team, subresource: 'spec.users' });
  const [isJoining, setJoining] = useState(false);
  const [removing, setRemoving] = useState<string>();

  return (
    <Panel
      title="Teams"
      actions={
        allowed ? (
          <Button size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => setJoining(true)}>
            Add to team
          </Button>
        ) : undefined
      }
    >
      {teams.length === 0 ? (
        <Text size="sm" c="dimmed">
          Not a member of any team.
        </Text>
      ) : (
        <SimpleTable
          label="Teams of the user"
          head={['Team', ...(allowed ? [''] : [])]}
          rows={teams.map((team) => ({
            key: team,
            cells: [
              <PrincipalLink key="team" principal={{ kind: 'Team', name: team }} />,
              ...(allowed
                ? [<RemoveButton key="leave" label={`Remove ${name} from ${team}`} onClick={() => setRemoving(team)} />]
                : []),
            ],
          }))}
        />
      )}
      {removing === undefined ? null : (
        <RemoveFromTeam team={removing} user={name} onClose={() => setRemoving(undefined)} />
      )}
      {isJoining ? <AddToTeam user={name} onClose={() => setJoining(false)} /> : null}
    </Panel>
  );
}
