import { ActionIcon, Badge, Button, Group, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { adminsGroup } from '../../../src/api/naming.ts';
import { Age } from '../../components/age.tsx';
import { Facts } from '../../components/facts.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { PrincipalLink } from '../../components/principal-link.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { useMay } from '../../data/permissions.ts';
import { JoinTeam } from './join-team.tsx';
import { LeaveTeam } from './leave-team.tsx';
import { isAdminUser, teamsOfUser, userSpec } from './user-spec.ts';

/** Who it is, and in which teams. */
export function UserOverview({ user }: { readonly user: KubeObject }) {
  const { email, username, subject, description, disabled, groups = [] } = userSpec(user);
  return (
    <>
      <Panel title="The user">
        <Facts
          facts={{
            Status: <StatusBadge status={disabled === true ? 'Disabled' : 'Active'} />,
            Rights: isAdminUser(user) ? 'Administrator: may do everything' : undefined,
            Description: description,
            'E-mail address': email,
            'Signs in as': username,
            'Towards clusters': subject,
            Groups: <Groups groups={groups.filter((group) => group !== adminsGroup)} />,
            Age: <Age since={user.metadata.creationTimestamp} />,
          }}
        />
      </Panel>
      <Teams user={user} />
    </>
  );
}

export function Groups({ groups }: { readonly groups: readonly string[] }) {
  if (groups.length === 0)
    return (
      <Text span inherit c="dimmed">
        none
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

function Teams({ user }: { readonly user: KubeObject }) {
  const { name = '' } = user.metadata;
  const teams = teamsOfUser(user);
  // Who is in a team is for administrators to say, of all teams alike.
  const { allowed } = useMay({ verb: 'update', kind: kinds.team, subresource: 'spec.users' });
  const [isJoining, setJoining] = useState(false);
  const [leaving, setLeaving] = useState<string>();

  return (
    <Panel
      title="Teams"
      actions={
        allowed ? (
          <Button size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => setJoining(true)}>
            Add to a team
          </Button>
        ) : undefined
      }
    >
      {teams.length === 0 ? (
        <Text size="sm" c="dimmed">
          In no team.
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
                ? [
                    <Tooltip key="leave" label={`Take ${name} out of ${team}`}>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={`Take ${name} out of ${team}`}
                        onClick={() => setLeaving(team)}
                      >
                        <Icon name="trash" size={16} />
                      </ActionIcon>
                    </Tooltip>,
                  ]
                : []),
            ],
          }))}
        />
      )}
      {leaving === undefined ? null : <LeaveTeam team={leaving} user={name} onClose={() => setLeaving(undefined)} />}
      {isJoining ? <JoinTeam user={name} onClose={() => setJoining(false)} /> : null}
    </Panel>
  );
}
