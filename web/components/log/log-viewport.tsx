import { Button } from '@mantine/core';
import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { pluralize } from '../../data/format-text.ts';
import type { LogChunk } from './log-buffer.ts';
import classes from './log-panel.module.css';
import { chunkView, type LogSearch } from './log-search.ts';
import type { LogSnapshot } from './log-stream.ts';

export interface LogViewportProps {
  readonly snapshot: LogSnapshot;
  readonly search: LogSearch;
  readonly wrap: boolean;
  readonly label: string;
  readonly viewport: RefObject<HTMLElement | null>;
}

/** The view follows new lines if its distance from the end of the log is at most this many pixels. */
const endTolerance = 24;

/**
 * The lines of a log. The view follows new lines until the user scrolls up. It then stays unchanged until the user
 * scrolls back to the end, even if the buffer drops the displayed lines.
 */
export function LogViewport({ snapshot, search, wrap, label, viewport }: LogViewportProps) {
  const [paused, setPaused] = useState<LogSnapshot>();
  const shown = paused ?? snapshot;
  const latest = useRef(snapshot);
  latest.current = snapshot;
  const isFollowing = paused === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view scrolls whenever its content changes.
  useLayoutEffect(() => {
    const element = viewport.current;
    if (element !== null && isFollowing) element.scrollTop = element.scrollHeight;
  }, [shown.chunks, search, wrap, isFollowing, viewport]);
  useEffect(() => {
    const element = viewport.current;
    if (element === null) return;
    const handleScroll = () => {
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < endTolerance;
      setPaused((before) => (isAtEnd ? undefined : (before ?? latest.current)));
    };
    element.addEventListener('scroll', handleScroll, { passive: true });
    return () => element.removeEventListener('scroll', handleScroll);
  }, [viewport]);
  const newLines = snapshot.lineCount + snapshot.dropped - shown.lineCount - shown.dropped;
  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: users scroll the log with the keyboard. */}
      <section ref={viewport} className={classes.viewport} aria-label={label} tabIndex={0}>
        {shown.chunks.map((chunk, index) => (
          <ChunkLines
            key={chunk.id}
            chunk={chunk}
            search={search}
            wrap={wrap}
            isLast={index === shown.chunks.length - 1}
          />
        ))}
      </section>
      {isFollowing ? null : (
        <Button className={classes.latest ?? ''} size="xs" onClick={() => setPaused(undefined)}>
          {newLines > 0 ? `Show ${pluralize(newLines, 'new line')}` : 'Go to the end'}
        </Button>
      )}
    </div>
  );
}

interface ChunkLinesProps {
  readonly chunk: LogChunk;
  readonly search: LogSearch;
  readonly wrap: boolean;
  readonly isLast: boolean;
}

/** The lines of one chunk. Rendered again only if the chunk has new lines or the search changes. */
const ChunkLines = memo(function ChunkLines({ chunk, search, wrap, isLast }: ChunkLinesProps) {
  const { parts } = chunkView(chunk, search);
  return (
    <div className={classes.chunk} data-wrap={wrap} data-last={isLast}>
      {parts.map(({ text, isMatch }, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity, and never move.
        isMatch ? <mark key={index}>{text}</mark> : text,
      )}
    </div>
  );
});
