import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { Command } from '../../components/command.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { saveText } from '../../components/save-text.ts';
import classes from './key-value-dialog.module.css';

export interface KeyValueDialogProps {
  readonly name: string;
  readonly value: string;
  /** Whether the command-line tool gets along with it. */
  readonly isForCli: boolean;
  /** It is forgotten then. */
  onClose(): void;
}

/** The value of a key while somebody looks at it, and no longer: neither this page nor the server can show it again. */
export function KeyValueDialog({ name, value, isForCli, onClose }: KeyValueDialogProps) {
  const file = `${name}.key`;
  return (
    <Dialog onClose={onClose} title={`The value of ${name}`} size="lg" keepsOnClickBeside>
      <Stack gap="md">
        <Text size="sm">
          Keep it now: it is shown this once. The server has no more than a hash of it, and nobody can read it again.
          Whoever has this text can do what the key can do.
        </Text>
        <div className={classes.shown}>
          <Code block className={classes.text} tabIndex={0} aria-label="The value of the key">
            {value}
          </Code>
          <CopyButton text={value} what="the key" />
        </div>
        {isForCli ? (
          <>
            <Text size="sm">Save it, then sign in with the command-line tool:</Text>
            <Command text={`flotilla login ${location.origin} --access-key-stdin < ${file}`} />
          </>
        ) : null}
        <Group justify="flex-end">
          <Button variant="default" leftSection={<Icon name="download" />} onClick={() => saveText(file, `${value}\n`)}>
            Save as {file}
          </Button>
          <Button onClick={onClose}>I have kept it</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
