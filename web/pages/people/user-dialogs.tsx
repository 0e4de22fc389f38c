import { PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { Confirm } from '../../components/confirm.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notices.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject, patchObject } from '../../data/objects.ts';
import { userSpec } from './user-spec.ts';

export interface UserDialogProps {
  readonly user: KubeObject;
  onClose(): void;
}

/** Another password. What was typed is nowhere once the dialog is closed. */
export function SetPassword({ user, onClose }: UserDialogProps) {
  const { name = '' } = user.metadata;
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title={`Password of ${name}`}
      action="Set the password"
      canSend={password !== ''}
      onClose={onClose}
      onSend={async () => {
        await patchObject(kinds.user, { name }, { spec: { password } });
        notify.done(`${name} has a new password`);
      }}
    >
      {(error) => (
        <>
          <PasswordInput
            label="New password"
            description="At least 8 characters."
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={fieldProblems(error)('spec.password')}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            data-autofocus
          />
          <Text size="sm" c="dimmed">
            Wherever else they are signed in with a password, they are signed out. Access keys go on.
          </Text>
        </>
      )}
    </FormDialog>
  );
}

/** Whether the user has access, turned round. */
export function SwitchUser({ user, onClose }: UserDialogProps) {
  const { name = '' } = user.metadata;
  const isDisabled = userSpec(user).disabled === true;
  const word = isDisabled ? 'Enable' : 'Disable';
  return (
    <Confirm
      title={`${word} ${name}?`}
      action={`${word} ${name}`}
      danger={!isDisabled}
      onClose={onClose}
      onConfirm={async () => {
        await patchObject(kinds.user, { name }, { spec: { disabled: !isDisabled } });
        notify.done(`The user ${name} is ${isDisabled ? 'enabled' : 'disabled'}`);
      }}
    >
      <Text size="sm">
        {isDisabled
          ? 'They can sign in again, and their keys work as before.'
          : 'They have no access from the next request on: sign-ins and keys stop working, and what they opened is closed. What is theirs stays, and they can be enabled again.'}
      </Text>
    </Confirm>
  );
}

export function DeleteUser({ user, onClose }: UserDialogProps) {
  const { name = '', uid } = user.metadata;
  return (
    <Confirm
      title={`Delete the user ${name}?`}
      action={`Delete ${name}`}
      typed={name}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kinds.user, { name }, { uid });
        notify.done(`The user ${name} is deleted`);
      }}
    >
      <Text size="sm">
        Their keys and sign-ins stop working at once. Virtual clusters that are theirs stay, without an owner. Whoever
        gets the name later is somebody else and has none of it. To keep somebody out for a while, disable them.
      </Text>
    </Confirm>
  );
}
