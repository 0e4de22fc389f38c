import { PasswordInput, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { User } from '../../../src/api/management/v1/user.ts';
import { Confirm } from '../../components/form/confirm.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject, patchObject } from '../../data/objects/objects.ts';
import { userSpec } from './user-spec.ts';

export interface UserDialogProps {
  readonly user: User;
  onClose(): void;
}

/** A dialog that sets the password of a user. The password is discarded after the dialog closes. */
export function SetPassword({ user, onClose }: UserDialogProps) {
  const { name = '' } = user.metadata;
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title={`Set password of ${name}`}
      action="Set password"
      canSend={password !== ''}
      onClose={onClose}
      onSend={async () => {
        await patchObject(kinds.user, { name }, { spec: { password } });
        notify.done(`Changed password of ${name}`);
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
            visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
            data-autofocus
          />
          <Text size="sm" c="dimmed">
            This ends all other sessions that the user started with a password. Access keys keep working.
          </Text>
        </>
      )}
    </FormDialog>
  );
}

/** A dialog that enables or disables a user. */
export function ToggleUser({ user, onClose }: UserDialogProps) {
  const { name = '' } = user.metadata;
  const isDisabled = userSpec(user).disabled === true;
  const verb = isDisabled ? 'Enable' : 'Disable';
  return (
    <Confirm
      title={`${verb} ${name}?`}
      action={`${verb} ${name}`}
      danger={!isDisabled}
      onClose={onClose}
      onConfirm={async () => {
        await patchObject(kinds.user, { name }, { spec: { disabled: !isDisabled } });
        notify.done(`${isDisabled ? 'Enabled' : 'Disabled'} user ${name}`);
      }}
    >
      <Text size="sm">
        {isDisabled
          ? 'The user can sign in again, and their access keys work again.'
          : 'The user loses access at once: sessions and access keys stop working, and open connections are closed. Their resources are kept. You can enable the user again.'}
      </Text>
    </Confirm>
  );
}

export function DeleteUser({ user, onClose }: UserDialogProps) {
  const navigate = useNavigate();
  const { name = '', uid } = user.metadata;
  return (
    <Confirm
      title={`Delete user ${name}?`}
      action={`Delete ${name}`}
      confirmationText={name}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kinds.user, { name }, { uid });
        notify.done(`Deleted user ${name}`);
        await navigate({ to: '/users' });
      }}
    >
      <Text size="sm">
        Their access keys and sessions stop working at once. Their virtual clusters are kept without an owner. A new
        user with the same name does not get them. To block a user temporarily, disable the user instead.
      </Text>
    </Confirm>
  );
}
