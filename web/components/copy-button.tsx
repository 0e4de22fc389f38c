import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from './icon.tsx';

/** A button that copies a text to the clipboard. `what` names the text in the label, as in "Copy kubeconfig". */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const { copied, copy } = useClipboard({ timeout: 2_000 });
  const label = copied ? 'Copied' : `Copy ${what}`;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" aria-label={label} onClick={() => copy(text)}>
        <Icon name={copied ? 'check' : 'copy'} />
      </ActionIcon>
    </Tooltip>
  );
}
