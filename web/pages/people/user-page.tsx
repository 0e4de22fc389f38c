import { Anchor, Button } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { DetailTabs } from '../../components/detail-tabs.tsx';
import { Icon } from '../../components/icon.tsx';
import { LivePart } from '../../components/live-part.tsx';
import { ObjectEditor } from '../../components/object-editor.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { displayNameOf } from '../../data/display-name.ts';
import { kinds } from '../../data/kind-ref.ts';
import { useMayEach } from '../../data/permissions.ts';
import { useObject } from '../../data/use-object.ts';
import { EditUser } from './edit-user.tsx';
import { KeysOf } from './keys-of.tsx';
import { DeleteUser, SetPassword, SwitchUser } from './user-dialogs.tsx';
import { UserOverview } from './user-overview.tsx';
import { userSpec } from './user-spec.ts';

const back = (
  <Anchor component={Link} to="/users" size="sm">
    Users
  </Anchor>
);

/** One user. */
export function UserPage() {
  const { user: name } = useParams({ from: '/users/$user' });
  const live = useObject(kinds.user, { name });
  return (
    <LivePart live={live} what="user" name={name} back={back}>
      {(user) => <User key={user.metadata.uid} user={user} />}
    </LivePart>
  );
}

function User({ user }: { readonly user: KubeObject }) {
  const { name = '' } = user.metadata;
  const place = { kind: kinds.user, name };
  const [write, password, disable, remove, keys] = useMayEach([
    { verb: 'patch', ...place },
    { verb: 'update', ...place, subresource: 'spec.password' },
    { verb: 'update', ...place, subresource: 'spec.disabled' },
    { verb: 'delete', ...place },
    { verb: 'get', ...place, subresource: 'accesskeys' },
  ]);
  const [open, setOpen] = useState<'edit' | 'password' | 'switch' | 'delete'>();
  const close = () => setOpen(undefined);
  const displayName = displayNameOf(user);
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
            {password?.allowed === true && write?.allowed === true ? (
              <Button
                variant="default"
                leftSection={<Icon name="keys" size={16} />}
                onClick={() => setOpen('password')}
              >
                Set the password
              </Button>
            ) : null}
            {disable?.allowed === true ? (
              <Button variant="default" onClick={() => setOpen('switch')}>
                {userSpec(user).disabled === true ? 'Enable' : 'Disable'}
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
        label="Parts of the user"
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
