import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { User } from '../../../src/api/management/v1/user.ts';
import { EffectiveAccess } from '../../components/access/effective-access.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { DetailTabs } from '../../components/object/detail-tabs.tsx';
import { ObjectEditor } from '../../components/object/object-editor.tsx';
import { ObjectHeader } from '../../components/object/object-header.tsx';
import { ObjectPage } from '../../components/object/object-page.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { usePermissions } from '../../data/permissions.ts';
import { EditUser } from './edit-user.tsx';
import { PrincipalKeys } from './principal-keys.tsx';
import { ResetLink } from './reset-link.tsx';
import { DeleteUser, SetPassword, ToggleUser } from './user-dialogs.tsx';
import { UserOverview } from './user-overview.tsx';
import { userSpec } from './user-spec.ts';

const list = { to: '/users', label: 'Users' } as const;

/** The page of a user. */
export function UserPage() {
  const { user: name } = useParams({ from: '/users/$user' });
  return (
    <ObjectPage kind={kinds.user} name={name} what="user" list={list}>
      {(user, back) => <UserParts key={user.metadata.uid} user={user} back={back} />}
    </ObjectPage>
  );
}

function UserParts({ user, back }: { readonly user: User; readonly back: ReactNode }) {
  const { name = '' } = user.metadata;
  const target = { kind: kinds.user, name };
  const [write, password, disable, remove, keys, offboard, reset] = usePermissions([
    { verb: 'patch', ...target },
    { verb: 'update', ...target, subresource: 'spec.password' },
    { verb: 'update', ...target, subresource: 'spec.disabled' },
    { verb: 'delete', ...target },
    { verb: 'get', ...target, subresource: 'accesskeys' },
    { verb: 'create', ...target, subresource: 'offboard' },
    { verb: 'create', ...target, subresource: 'resetpassword' },
  ]);
  const [open, setOpen] = useState<'edit' | 'password' | 'reset' | 'switch' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <ObjectHeader object={user} back={back}>
        <PermittedButton isPermitted={write?.allowed} icon="edit" onClick={() => setOpen('edit')}>
          Edit details
        </PermittedButton>
        <PermittedButton
          isPermitted={password?.allowed && write?.allowed}
          icon="keys"
          onClick={() => setOpen('password')}
        >
          Set password
        </PermittedButton>
        <PermittedButton isPermitted={reset?.allowed} onClick={() => setOpen('reset')}>
          Reset link
        </PermittedButton>
        <PermittedButton isPermitted={disable?.allowed} onClick={() => setOpen('switch')}>
          {userSpec(user).disabled === true ? 'Enable' : 'Disable'}
        </PermittedButton>
        {offboard?.allowed === true ? (
          <LinkButton to="/offboarding" search={{ user: name }} variant="default">
            Offboard
          </LinkButton>
        ) : null}
        {remove?.allowed === true ? <DeleteButton onClick={() => setOpen('delete')} /> : null}
      </ObjectHeader>
      <DetailTabs
        label="User sections"
        tabs={[
          { id: 'overview', label: 'Overview', render: () => <UserOverview user={user} /> },
          ...(keys?.allowed === true
            ? [
                {
                  id: 'keys',
                  label: 'Access keys',
                  render: () => <PrincipalKeys principal={{ kind: 'User', name }} />,
                },
                {
                  id: 'effective-access',
                  label: 'Effective access',
                  render: () => <EffectiveAccess subject={{ user: name }} />,
                },
              ]
            : []),
          {
            id: 'yaml',
            label: 'YAML',
            render: () => <ObjectEditor kind={kinds.user} object={user} readOnly={write?.allowed !== true} />,
          },
        ]}
      />
      {open === 'edit' ? <EditUser user={user} onClose={close} /> : null}
      {open === 'password' ? <SetPassword user={user} onClose={close} /> : null}
      {open === 'reset' ? <ResetLink user={user} onClose={close} /> : null}
      {open === 'switch' ? <ToggleUser user={user} onClose={close} /> : null}
      {open === 'delete' ? <DeleteUser user={user} onClose={close} /> : null}
    </>
  );
}
