import { memo, type ReactNode, useLayoutEffect, useRef } from 'react';
import type { LogChunk } from '../../components/log/log-buffer.ts';
import { ShellView } from '../../components/terminal/shell-view.tsx';
import { pluralize } from '../../data/format-text.ts';
import classes from './kubectl-console.module.css';
import type { TranscriptEntry } from './transcript.ts';

export interface TranscriptViewProps {
  readonly entries: readonly TranscriptEntry[];
  readonly isActive: boolean;
  /** The introduction, shown if there are no entries. */
  readonly children: ReactNode;
}

/** The view follows new output if it is at most this many pixels from the end. */
const endTolerance = 40;

/** The commands and their output. The view follows new output unless the user has scrolled up. */
export function TranscriptView({ entries, isActive, children }: TranscriptViewProps) {
  const view = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const last = entries.at(-1)?.id;
  const shown = useRef(last);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view scrolls whenever its content changes.
  useLayoutEffect(() => {
    const element = view.current;
    // Scrolls to a new command, even if the user has scrolled up.
    if (element !== null && (isAtEnd.current || shown.current !== last)) element.scrollTop = element.scrollHeight;
    shown.current = last;
  }, [entries, last]);
  return (
    <div
      ref={view}
      className={classes.output}
      role="log"
      aria-label="Output"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: users scroll the output with the keyboard.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < endTolerance;
      }}
    >
      {entries.length === 0 ? children : null}
      {entries.map((entry) => (
        <EntryView key={entry.id} entry={entry} isActive={isActive} />
      ))}
    </div>
  );
}

function EntryView({ entry, isActive }: { readonly entry: TranscriptEntry; readonly isActive: boolean }) {
  const { line, namespace, state, chunks, dropped, terminal } = entry;
  return (
    <div className={classes.entry} data-state={state}>
      <div className={classes.command}>
        <span className={classes.prompt}>{namespace} $ </span>
        {/^(?:kubectl|k)\s/.test(line) ? line : `kubectl ${line}`}
      </div>
      {dropped === 0 ? null : <div className={classes.prompt}>({pluralize(dropped, 'earlier line')} not shown)</div>}
      <div className={state === 'failed' ? classes.failed : ''}>
        {chunks.map((chunk) => (
          <ChunkText key={chunk.id} chunk={chunk} isFailed={state === 'failed'} />
        ))}
      </div>
      {terminal === undefined ? null : (
        <ShellView
          target={terminal}
          label={`Terminal: ${terminal.container} of ${terminal.pod}. Press Shift+Escape to leave it`}
          isActive={isActive}
        />
      )}
    </div>
  );
}

interface ChunkTextProps {
  readonly chunk: LogChunk;
  readonly isFailed: boolean;
}

/**
 * A part of the output. Its lines are not wrapped, because they can be rows of a table; only error messages are
 * wrapped.
 */
const ChunkText = memo(function ChunkText({ chunk, isFailed }: ChunkTextProps) {
  const isMessage = ({ text }: { readonly text: string }) => isFailed && /^error: |^Error from server/i.test(text);
  const textOf = (lines: LogChunk['lines']) => lines.map(({ text }) => `${text}\n`).join('');
  // Finds the start of the error message, which can have several lines and ends the output of a failed command.
  const at = chunk.lines.findIndex(isMessage);
  const rows = at < 0 ? chunk.lines : chunk.lines.slice(0, at);
  return (
    <>
      {rows.length === 0 ? null : <div className={classes.text}>{textOf(rows)}</div>}
      {at < 0 ? null : <div className={classes.message}>{textOf(chunk.lines.slice(at))}</div>}
    </>
  );
});
