import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Team } from '../../../src/api/management/v1/team.ts';
import { RemoveButton } from '../../components/delete-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { Age } from '../../components/object/age.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import { PrincipalLink } from '../../components/object/principal-link.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { ownerOf } from '../../data/owner.ts';
import { usePermission } from '../../data/permissions.ts';
import { AddToTeam } from './add-to-team.tsx';
import { RemoveFromTeam } from './remove-from-team.tsx';
import { teamSpec } from './team-members.ts';
import { Groups } from './user-overview.tsx';

/** A tab with the members and details of a team. */
export function TeamOverview({ team }: { readonly team: Team }) {
  const { description, groups = [] } = teamSpec(team);
  const owner = ownerOf(team);
  return (
    <>
      <Members team={team} />
      <Panel title="Details">
        <DetailList
          items={{
            Description: description,
            Owner: owner === undefined ? undefined : <PrincipalLink principal={owner} />,
            'Groups of access keys': <Groups groups={groups} />,
            Age: <Age since={team.metadata.creationTimestamp} />,
          }}
        />
      </Panel>
    </>
  );
}

function Members({ team }: { readonly team: Team }) {
  const { name = '' } = team.metadata;
  const { users = [] } = teamSpec(team);
  const { allowed } = usePermission({ verb: 'update', kind: kinds.team, name, subresource: 'spec.users' });
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string>();
  const add = allowed ? (
    <Button size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      Add user
    </Button>
  ) : undefined;
  return (
    <Panel title="Members" actions={users.length === 0 ? undefined : add}>
      {users.length === 0 ? (
        <EmptyState
          title="No members yet"
          text="Members share the roles, virtual clusters and access keys of the team."
          action={add}
        />
      ) : (
        <SimpleTable
          label="Members of the team"
          head={['User', ...(allowed ? [''] : [])]}
          rows={[...users].sort().map((user) => ({
            key: user,
            cells: [
              <PrincipalLink key="user" principal={{ kind: 'User', name: user }} />,
              ...(allowed
                ? [<RemoveButton key="remove" label={`Remove ${user}`} onClick={() => setRemoving(user)} />]
                : []),
            ],
          }))}
        />
      )}
      {isAdding ? <AddToTeam team={name} onClose={() => setAdding(false)} /> : null}
      {removing === undefined ? null : (
        <RemoveFromTeam team={name} user={removing} onClose={() => setRemoving(undefined)} />
      )}
    </Panel>
  );
}
