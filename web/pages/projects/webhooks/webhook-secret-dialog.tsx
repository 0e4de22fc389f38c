import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Dialog } from '../../../components/form/dialog.tsx';
import classes from '../../access-keys/key-value-dialog.module.css';

export interface WebhookSecretDialogProps {
  readonly name: string;
  readonly secret: string;
  /** Called when the dialog closes. The parent component must then discard the secret. */
  onClose(): void;
}

/** A dialog that shows the secret of a new webhook once. Neither the console nor the API can show it again. */
export function WebhookSecretDialog({ name, secret, onClose }: WebhookSecretDialogProps) {
  return (
    <Dialog onClose={onClose} title={`Secret of webhook ${name}`} size="lg" keepOpenOnClickOutside>
      <Stack gap="md">
        <Text size="sm">
          Copy the secret now; it is shown only once. The receiver verifies with it that a message comes from this
          server.
        </Text>
        <div className={classes.shown}>
          <Code block className={classes.text} tabIndex={0} aria-label="Webhook secret">
            {secret}
          </Code>
          <CopyButton text={secret} what="secret" />
        </div>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
