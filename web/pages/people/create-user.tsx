import { PasswordInput, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { NameField } from '../../components/form/name-field.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { createObject } from '../../data/objects/objects.ts';
import { GroupsFields } from './groups-fields.tsx';

/** A dialog that creates a user. */
export function CreateUser({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [groups, setGroups] = useState<readonly string[]>([]);

  async function send(): Promise<void> {
    const made = await createObject(kinds.user, {
      apiVersion: apiVersionOf(kinds.user),
      kind: kinds.user.kind,
      metadata: { name: name.trim() },
      spec: {
        ...(displayName.trim() === '' ? {} : { displayName: displayName.trim() }),
        ...(email.trim() === '' ? {} : { email: email.trim() }),
        ...(password === '' ? {} : { password }),
        ...(groups.length === 0 ? {} : { groups }),
      },
    });
    const user = made.metadata.name ?? name;
    notify.done(`Created user ${user}`);
    await navigate({ to: '/users/$user', params: { user } });
  }

  return (
    <FormDialog title="New user" action="Create" canSend={name.trim() !== ''} onSend={send} onClose={onClose}>
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <NameField
              value={name}
              onChange={setName}
              error={problem('metadata.name')}
              form="The user signs in with this name. Use lowercase letters, digits, dots and hyphens."
            />
            <TextInput
              label="Display name"
              description="Shown in the console instead of the name. Optional."
              value={displayName}
              onChange={(event) => setDisplayName(event.currentTarget.value)}
              error={problem('spec.displayName')}
              autoComplete="off"
            />
            <TextInput
              label="Email"
              type="email"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              error={problem('spec.email')}
              autoComplete="off"
            />
            <PasswordInput
              label="Password"
              description="At least 8 characters. Optional. Without a password, the user can sign in only with an access key."
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={problem('spec.password')}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
            />
            <GroupsFields
              value={groups}
              onChange={setGroups}
              error={problem('spec.groups')}
              adminText="The user has all permissions on this server."
              auditorText="The user can read everything except secrets and logs, and search the audit log."
            />
          </>
        );
      }}
    </FormDialog>
  );
}
