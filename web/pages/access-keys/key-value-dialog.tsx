import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { Command } from '../../components/command.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/form/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { saveText } from '../../components/save-text.ts';
import classes from './key-value-dialog.module.css';

export interface KeyValueDialogProps {
  readonly name: string;
  readonly value: string;
  /** True if the command-line tool can use the key. */
  readonly isForCli: boolean;
  /** Called when the dialog closes. The parent component must then discard the value. */
  onClose(): void;
}

/** A dialog that shows the value of an access key once. Neither the console nor the server can show it again. */
export function KeyValueDialog({ name, value, isForCli, onClose }: KeyValueDialogProps) {
  const file = `${name}.key`;
  return (
    <Dialog onClose={onClose} title={`Access key ${name}`} size="lg" keepOpenOnClickOutside>
      <Stack gap="md">
        <Text size="sm">
          Copy the key now. It is shown only once, because the server stores only a hash of it. Anyone who has this
          value can use the key.
        </Text>
        <div className={classes.shown}>
          <Code block className={classes.text} tabIndex={0} aria-label="Access key value">
            {value}
          </Code>
          <CopyButton text={value} what="access key" />
        </div>
        {isForCli ? (
          <>
            <Text size="sm">Download the key, then sign in with the command-line tool:</Text>
            <Command text={`flotilla login ${location.origin} --access-key-stdin < ${file}`} />
          </>
        ) : null}
        <Group justify="flex-end">
          <Button variant="default" leftSection={<Icon name="download" />} onClick={() => saveText(file, `${value}\n`)}>
            Download {file}
          </Button>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
