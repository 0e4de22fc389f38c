import type { Diagnostic } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import { Text, UnstyledButton } from '@mantine/core';
import classes from '../code.module.css';

const maxShown = 6;

/** A list of problems for users who do not see the marks in the text. Each entry links to the line of its problem. */
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
  const more = problems.length - maxShown;
  return (
    <ul className={classes.problems} aria-label="Problems" aria-live="polite">
      {problems.slice(0, maxShown).map(({ from, message, severity }) => (
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
