import { Code, Group } from '@mantine/core';
import classes from './command.module.css';
import { CopyButton } from './copy-button.tsx';

/** A command to paste into a terminal, with a copy button. */
export function Command({ text }: { readonly text: string }) {
  return (
    <Group gap="xs" wrap="nowrap" className={classes.line}>
      <Code block className={classes.text} tabIndex={0} aria-label="Command">
        {text}
      </Code>
      <CopyButton text={text} what="command" />
    </Group>
  );
}
