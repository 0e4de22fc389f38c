import type { Diagnostic } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import { Text, UnstyledButton } from '@mantine/core';
import classes from './code.module.css';

const mostShown = 6;

/** What is wrong, a line each, for whoever does not see the marks; leads to the place. */
export function ProblemList({
  view,
  problems,
}: {
  readonly view: EditorView;
  readonly problems: readonly Diagnostic[];
}) {
  const lineOf = (offset: number) => view.state.doc.lineAt(Math.min(offset, view.state.doc.length)).number;
  const go = (offset: number) => {
    view.dispatch({ selection: { anchor: Math.min(offset, view.state.doc.length) }, scrollIntoView: true });
    view.focus();
  };
  const more = problems.length - mostShown;
  return (
    <ul className={classes.problems} aria-label="What is wrong with the text" aria-live="polite">
      {problems.slice(0, mostShown).map(({ from, message, severity }) => (
        <li key={`${from} ${message}`} className={classes.problem}>
          <UnstyledButton className={classes.jump ?? ''} onClick={() => go(from)}>
            Line {lineOf(from)}
          </UnstyledButton>
          <span className={severity === 'error' ? classes.error : classes.warning}>{message}</span>
        </li>
      ))}
      {more > 0 ? (
        <li className={classes.problem}>
          <Text span size="sm" c="dimmed">
            and {more} more
          </Text>
        </li>
      ) : null}
    </ul>
  );
}
