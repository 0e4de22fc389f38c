import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from './icon.tsx';

/** Copies a text to the clipboard. `what` names it in the label: "Copy kubeconfig". */
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
