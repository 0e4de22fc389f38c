import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { User } from '../../../src/api/management/v1/user.ts';
import { DetailTabs } from '../../components/detail-tabs.tsx';
import { ObjectEditor } from '../../components/object-editor.tsx';
import { ObjectHeader } from '../../components/object-header.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { Offered } from '../../components/offered.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { useMayEach } from '../../data/permissions.ts';
import { EditUser } from './edit-user.tsx';
import { KeysOf } from './keys-of.tsx';
import { DeleteUser, SetPassword, SwitchUser } from './user-dialogs.tsx';
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
  const [write, password, disable, remove, keys] = useMayEach([
    { verb: 'patch', ...target },
    { verb: 'update', ...target, subresource: 'spec.password' },
    { verb: 'update', ...target, subresource: 'spec.disabled' },
    { verb: 'delete', ...target },
    { verb: 'get', ...target, subresource: 'accesskeys' },
  ]);
  const [open, setOpen] = useState<'edit' | 'password' | 'switch' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <ObjectHeader object={user} back={back}>
        <Offered when={write?.allowed} icon="edit" onPress={() => setOpen('edit')}>
          Edit
        </Offered>
        <Offered when={password?.allowed && write?.allowed} icon="keys" onPress={() => setOpen('password')}>
          Set password
        </Offered>
        <Offered when={disable?.allowed} onPress={() => setOpen('switch')}>
          {userSpec(user).disabled === true ? 'Enable' : 'Disable'}
        </Offered>
        <Offered when={remove?.allowed} icon="trash" onPress={() => setOpen('delete')}>
          Delete
        </Offered>
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
                  render: () => <KeysOf principal={{ kind: 'User', name }} />,
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
      {open === 'switch' ? <SwitchUser user={user} onClose={close} /> : null}
      {open === 'delete' ? <DeleteUser user={user} onClose={close} /> : null}
    </>
  );
}
