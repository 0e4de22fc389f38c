import { Button, FileButton, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../components/form/dialog.tsx';
import { YamlField } from '../../components/form/yaml-field.tsx';
import { notify } from '../../components/notifications.tsx';

export interface ManifestDialogProps {
  /** The label of the button: "Apply". */
  readonly action: string;
  readonly namespace: string;
  /** Called with the manifest, or with `undefined` if the user cancels. */
  onAnswer(text: string | undefined): void;
}

/** The maximum size of a manifest file in bytes. A larger manifest would make the page unresponsive. */
const maxFileBytes = 5 * 1024 * 1024;

/** A dialog in which the user writes or pastes a manifest, or loads it from a file. */
export function ManifestDialog({ action, namespace, onAnswer }: ManifestDialogProps) {
  const [text, setText] = useState('');

  async function load(file: File | null): Promise<void> {
    if (file === null) return;
    if (file.size > maxFileBytes) notify.failed('Failed to open the file', new Error('it is larger than 5 MB'));
    else setText(await file.text());
  }

  return (
    <Dialog
      title={action === 'Create' ? 'Create objects from a manifest' : `${action} a manifest`}
      size="xl"
      onClose={() => onAnswer(undefined)}
    >
      <Stack gap="md">
        <YamlField
          label={`YAML or JSON. Objects without a namespace go to ${namespace}`}
          value={text}
          onChange={setText}
          minHeight={260}
        />
        <Group justify="space-between">
          <FileButton onChange={(file) => void load(file)} accept=".yaml,.yml,.json">
            {(props) => (
              <Button variant="default" {...props}>
                Choose file
              </Button>
            )}
          </FileButton>
          <Group>
            <Button variant="default" onClick={() => onAnswer(undefined)}>
              Cancel
            </Button>
            <Button disabled={text.trim() === ''} onClick={() => onAnswer(text)}>
              {action}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Dialog>
  );
}
