import { Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Team } from '../../../src/api/management/v1/team.ts';
import { Confirm } from '../../components/confirm.tsx';
import { DetailTabs } from '../../components/detail-tabs.tsx';
import { notify } from '../../components/notices.tsx';
import { ObjectEditor } from '../../components/object-editor.tsx';
import { ObjectHeader } from '../../components/object-header.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { Offered } from '../../components/offered.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects.ts';
import { useMayEach } from '../../data/permissions.ts';
import { EditTeam } from './edit-team.tsx';
import { KeysOf } from './keys-of.tsx';
import { TeamOverview } from './team-overview.tsx';

const list = { to: '/teams', label: 'Teams' } as const;

/** The page of a team. */
export function TeamPage() {
  const { team: name } = useParams({ from: '/teams/$team' });
  return (
    <ObjectPage kind={kinds.team} name={name} what="team" list={list}>
      {(team, back) => <TeamParts key={team.metadata.uid} team={team} back={back} />}
    </ObjectPage>
  );
}

function TeamParts({ team, back }: { readonly team: Team; readonly back: ReactNode }) {
  const { name = '', uid } = team.metadata;
  const target = { kind: kinds.team, name };
  const [write, remove, keys] = useMayEach([
    { verb: 'patch', ...target },
    { verb: 'delete', ...target },
    { verb: 'get', ...target, subresource: 'accesskeys' },
  ]);
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <ObjectHeader object={team} back={back}>
        <Offered when={write?.allowed} icon="edit" onPress={() => setOpen('edit')}>
          Edit
        </Offered>
        <Offered when={remove?.allowed} icon="trash" onPress={() => setOpen('delete')}>
          Delete
        </Offered>
      </ObjectHeader>
      <DetailTabs
        label="Team sections"
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
          title={`Delete team ${name}?`}
          action={`Delete ${name}`}
          typed={name}
          danger
          onClose={close}
          onConfirm={async () => {
            await deleteObject(kinds.team, { name }, { uid });
            notify.done(`Deleted team ${name}`);
          }}
        >
          <Text size="sm">
            Its access keys stop working at once, and its members lose the permissions of the team. Virtual clusters of
            the team are kept without an owner.
          </Text>
        </Confirm>
      ) : null}
    </>
  );
}
