import { Code, Group } from '@mantine/core';
import classes from './command.module.css';
import { CopyButton } from './copy-button.tsx';

interface CommandProps {
  readonly text: string;
  /** The accessible name of the text. Optional; defaults to `Command`. */
  readonly label?: string;
}

/** A command to paste into a terminal, or any other text to copy, with a copy button. */
export function Command({ text, label = 'Command' }: CommandProps) {
  return (
    <Group gap="xs" wrap="nowrap" className={classes.line}>
      <Code block className={classes.text} tabIndex={0} aria-label={label}>
        {text}
      </Code>
      <CopyButton text={text} what={label.toLowerCase()} />
    </Group>
  );
}
