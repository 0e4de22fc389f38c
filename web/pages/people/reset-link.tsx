import { Button, Group, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import type { UserPasswordReset } from '../../../src/api/management/v1/subresources/user-password-reset.ts';
import { Command } from '../../components/command.tsx';
import { Confirm } from '../../components/form/confirm.tsx';
import { Dialog } from '../../components/form/dialog.tsx';
import { TimeUntil } from '../../components/object/time-until.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { postSubresource } from '../../data/objects/objects.ts';
import type { UserDialogProps } from './user-dialogs.tsx';

/** A dialog that creates a reset link for a user and shows it once. */
export function ResetLink({ user, onClose }: UserDialogProps) {
  const { name = '' } = user.metadata;
  const isCreated = useRef(false);
  const [link, setLink] = useState<UserPasswordReset['status']>();
  if (link !== undefined) return <LinkDialog name={name} link={link} onClose={onClose} />;
  return (
    <Confirm
      title={`Create a reset link for ${name}?`}
      action="Create link"
      onClose={() => {
        if (!isCreated.current) onClose();
      }}
      onConfirm={async () => {
        const { status } = await postSubresource<UserPasswordReset>(kinds.user, { name }, 'resetpassword', {});
        isCreated.current = true;
        setLink(status);
      }}
    >
      <Text size="sm">
        With the link, the user sets a new password once within 24 hours. The old password stays valid until then. An
        earlier link of the user becomes invalid.
      </Text>
    </Confirm>
  );
}

interface LinkDialogProps {
  readonly name: string;
  readonly link: NonNullable<UserPasswordReset['status']>;
  onClose(): void;
}

function LinkDialog({ name, link, onClose }: LinkDialogProps) {
  return (
    <Dialog title={`Reset link for ${name}`} size="lg" keepOpenOnClickOutside onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          Send the link to the user over a channel that only the user reads. It is shown only once. Anyone who has it
          can set the password. It expires <TimeUntil end={Date.parse(link.expires)} />.
        </Text>
        <Command text={link.url} label="Reset link" />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
