import { Button, FileButton, Group, Textarea } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';

export interface KubeconfigInputProps {
  readonly value: string;
  onChange(value: string): void;
  readonly error?: string | undefined;
}

/** The server takes no longer one. */
const longest = 256 * 1024;

/** A kubeconfig from a file or the clipboard. It holds credentials: whoever shows this forgets it when it closes. */
export function KubeconfigInput({ value, onChange, error }: KubeconfigInputProps) {
  async function read(file: File | null): Promise<void> {
    if (file !== null) onChange(await file.slice(0, longest + 1).text());
  }
  return (
    <div>
      <Textarea
        label="Kubeconfig"
        description="Its current context counts. All credentials have to be in it: the server reads no files and runs no programs that it names. It is sealed, and never shown again."
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
              Take it from a file
            </Button>
          )}
        </FileButton>
      </Group>
    </div>
  );
}
