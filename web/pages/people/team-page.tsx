import { Text } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Team } from '../../../src/api/management/v1/team.ts';
import { EffectiveAccess } from '../../components/access/effective-access.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { DetailTabs } from '../../components/object/detail-tabs.tsx';
import { ObjectEditor } from '../../components/object/object-editor.tsx';
import { ObjectHeader } from '../../components/object/object-header.tsx';
import { ObjectPage } from '../../components/object/object-page.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects/objects.ts';
import { usePermissions } from '../../data/permissions.ts';
import { EditTeam } from './edit-team.tsx';
import { PrincipalKeys } from './principal-keys.tsx';
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
  const [write, remove, keys] = usePermissions([
    { verb: 'patch', ...target },
    { verb: 'delete', ...target },
    { verb: 'get', ...target, subresource: 'accesskeys' },
  ]);
  const navigate = useNavigate();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <ObjectHeader object={team} back={back}>
        <PermittedButton isPermitted={write?.allowed} icon="edit" onClick={() => setOpen('edit')}>
          Edit details
        </PermittedButton>
        {remove?.allowed === true ? <DeleteButton onClick={() => setOpen('delete')} /> : null}
      </ObjectHeader>
      <DetailTabs
        label="Team sections"
        tabs={[
          { id: 'members', label: 'Members', render: () => <TeamOverview team={team} /> },
          ...(keys?.allowed === true
            ? [
                {
                  id: 'keys',
                  label: 'Access keys',
                  render: () => <PrincipalKeys principal={{ kind: 'Team', name }} />,
                },
                {
                  id: 'effective-access',
                  label: 'Effective access',
                  render: () => <EffectiveAccess subject={{ team: name }} />,
                },
              ]
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
          confirmationText={name}
          danger
          onClose={close}
          onConfirm={async () => {
            await deleteObject(kinds.team, { name }, { uid });
            notify.done(`Deleted team ${name}`);
            await navigate({ to: '/teams' });
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
