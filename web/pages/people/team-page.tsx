import { Anchor, Button, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { Confirm } from '../../components/confirm.tsx';
import { DetailTabs } from '../../components/detail-tabs.tsx';
import { Icon } from '../../components/icon.tsx';
import { LivePart } from '../../components/live-part.tsx';
import { notify } from '../../components/notices.tsx';
import { ObjectEditor } from '../../components/object-editor.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { displayNameOf } from '../../data/display-name.ts';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects.ts';
import { useMayEach } from '../../data/permissions.ts';
import { useObject } from '../../data/use-object.ts';
import { EditTeam } from './edit-team.tsx';
import { KeysOf } from './keys-of.tsx';
import { TeamOverview } from './team-overview.tsx';

const back = (
  <Anchor component={Link} to="/teams" size="sm">
    Teams
  </Anchor>
);

/** One team. */
export function TeamPage() {
  const { team: name } = useParams({ from: '/teams/$team' });
  const live = useObject(kinds.team, { name });
  return (
    <LivePart live={live} what="team" name={name} back={back}>
      {(team) => <Team key={team.metadata.uid} team={team} />}
    </LivePart>
  );
}

function Team({ team }: { readonly team: KubeObject }) {
  const { name = '', uid } = team.metadata;
  const place = { kind: kinds.team, name };
  const [write, remove, keys] = useMayEach([
    { verb: 'patch', ...place },
    { verb: 'delete', ...place },
    { verb: 'get', ...place, subresource: 'accesskeys' },
  ]);
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  const displayName = displayNameOf(team);
  return (
    <>
      <PageHeader
        title={displayName}
        above={back}
        about={displayName === name ? undefined : <span className="mono">{name}</span>}
        actions={
          <>
            {write?.allowed === true ? (
              <Button variant="default" leftSection={<Icon name="edit" size={16} />} onClick={() => setOpen('edit')}>
                Edit
              </Button>
            ) : null}
            {remove?.allowed === true ? (
              <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => setOpen('delete')}>
                Delete
              </Button>
            ) : null}
          </>
        }
      />
      <DetailTabs
        label="Parts of the team"
        tabs={[
          { id: 'members', label: 'Members', render: () => <TeamOverview team={team} /> },
          ...(keys?.allowed === true
            ? [{ id: 'keys', label: 'Access keys', render: () => <KeysOf principal={{ kind: 'Team', name }} /> }]
            : []),
          {
            id: 'yaml',
            label: 'YAML',
            render: () => <ObjectEditor kind={kinds.team} object={team} readOnly={write?.allowed !== true} />,
          },
        ]}
      />
      {open === 'edit' ? <EditTeam team={team} onClose={close} /> : null}
      {open === 'delete' ? (
        <Confirm
          title={`Delete the team ${name}?`}
          action={`Delete ${name}`}
          typed={name}
          danger
          onClose={close}
          onConfirm={async () => {
            await deleteObject(kinds.team, { name }, { uid });
            notify.done(`The team ${name} is deleted`);
          }}
        >
          <Text size="sm">
            Its keys stop working at once, and its users lose what the team gave them. Virtual clusters that are the
            team's stay, without an owner.
          </Text>
        </Confirm>
      ) : null}
    </>
  );
}
