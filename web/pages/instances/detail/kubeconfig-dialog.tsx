import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { Command } from '../../../components/command.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Dialog } from '../../../components/form/dialog.tsx';
import { Icon } from '../../../components/icon.tsx';
import { saveText } from '../../../components/save-text.ts';
import { formatTime } from '../../../data/format-time.ts';
import classes from './kubeconfig-dialog.module.css';
import type { NewKubeconfig } from './new-kubeconfig.ts';

export interface KubeconfigDialogProps {
  readonly name: string;
  /** A kubectl command that shows whether the kubeconfig works. */
  readonly probe: string;
  readonly kubeconfig: NewKubeconfig;
  /** Called when the dialog closes. The parent component must then discard the kubeconfig. */
  onClose(): void;
}

/** A dialog that shows a new kubeconfig once. */
export function KubeconfigDialog({ name, probe, kubeconfig: { text, expiresAt }, onClose }: KubeconfigDialogProps) {
  const file = `${name}.kubeconfig`;
  return (
    <Dialog onClose={onClose} title={`Kubeconfig for ${name}`} size="xl" keepOpenOnClickOutside>
      <Stack gap="md">
        <Text size="sm">
          Anyone who has this kubeconfig can use {name} as you. It is shown only once.{' '}
          {expiresAt === undefined ? null : (
            <>
              Valid until <time dateTime={new Date(expiresAt).toISOString()}>{formatTime(expiresAt)}</time>, or until
              you sign out.
            </>
          )}
        </Text>
        <div className={classes.shown}>
          <Code block className={classes.text} tabIndex={0} aria-label="Kubeconfig">
            {text}
          </Code>
          <div className={classes.copy}>
            <CopyButton text={text} what="kubeconfig" />
          </div>
        </div>
        <Text size="sm">Download the kubeconfig, then run:</Text>
        <Command text={probe.replace('kubectl', `kubectl --kubeconfig ${file}`)} />
        <Group justify="flex-end">
          <Button variant="default" leftSection={<Icon name="download" />} onClick={() => saveText(file, text)}>
            Download {file}
          </Button>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
