import { Button, FileButton, Group, Textarea } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';

export interface KubeconfigInputProps {
  readonly value: string;
  onChange(value: string): void;
  readonly error?: string | undefined;
}

/** The maximum size of a kubeconfig in bytes; the server has the same limit. */
const maxSize = 256 * 1024;

/**
 * An input for a kubeconfig, as text or from a file. A kubeconfig contains credentials, so the parent component must
 * discard it when its dialog closes.
 */
export function KubeconfigInput({ value, onChange, error }: KubeconfigInputProps) {
  async function read(file: File | null): Promise<void> {
    if (file !== null) onChange(await file.slice(0, maxSize + 1).text());
  }
  return (
    <div>
      <Textarea
        label="Kubeconfig"
        description="The server uses the current context. All credentials must be inline: file references and exec plugins are not supported. The server stores the kubeconfig encrypted and never shows it again."
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        autosize
        minRows={6}
        maxRows={12}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'mono' }}
        required
      />
      <Group mt="xs">
        <FileButton onChange={(file) => void read(file)} inputProps={{ 'aria-label': 'Kubeconfig file' }}>
          {(props) => (
            <Button {...props} variant="default" size="xs" leftSection={<Icon name="upload" size={16} />}>
              Choose file
            </Button>
          )}
        </FileButton>
      </Group>
    </div>
  );
}
