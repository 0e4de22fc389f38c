import { Code, Group } from '@mantine/core';
import classes from './command.module.css';
import { CopyButton } from './copy-button.tsx';

/** Something to paste into a terminal. */
export function Command({ text }: { readonly text: string }) {
  return (
    <Group gap="xs" wrap="nowrap" className={classes.line}>
      <Code block className={classes.text} tabIndex={0} aria-label="Command to paste">
        {text}
      </Code>
      <CopyButton text={text} what="the command" />
    </Group>
  );
}
