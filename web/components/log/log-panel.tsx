import { ActionIcon, Button, Checkbox, NativeSelect, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { browserClock } from '../../data/browser-clock.ts';
import { pluralize } from '../../data/format-text.ts';
import { endSessionOn401, send } from '../../data/send.ts';
import { session } from '../../data/session/session.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { Icon } from '../icon.tsx';
import { DownloadLog } from './download-log.tsx';
import classes from './log-panel.module.css';
import { chunkView } from './log-search.ts';
import { type LogSnapshot, LogStream } from './log-stream.ts';
import { LogViewport } from './log-viewport.tsx';

export interface LogPanelProps {
  /** The URL of the log, with query parameters that select the container. */
  readonly url: string;
  /** The accessible name of the log, for example "Log of web". */
  readonly label: string;
  /** The name of the downloaded file, without extension. */
  readonly fileName: string;
  /** True if the container was restarted, so a log of its previous run exists. */
  readonly hasPrevious: boolean;
  /** False if the log must not be read because the virtual cluster sleeps and a request would wake it. */
  readonly isActive: boolean;
  /** Fields that select the container. Optional. */
  readonly children?: ReactNode;
}

const tails = [
  { value: '100', label: '100 lines' },
  { value: '1000', label: '1,000 lines' },
  { value: '10000', label: '10,000 lines' },
];

/** The implementation of `LogView`, loaded on demand. */
export function LogPanel({ url, label, fileName, hasPrevious, isActive, children }: LogPanelProps) {
  const [tailLines, setTailLines] = useState('1000');
  const [follow, setFollow] = useState(true);
  const [isPrevious, setPrevious] = useState(false);
  const [timestamps, setTimestamps] = useState(false);
  const [wrap, setWrap] = useState(true);
  const [query, setQuery] = useState('');
  const [onlyMatching, setOnlyMatching] = useState(false);
  const viewport = useRef<HTMLElement>(null);
  const previous = isPrevious && hasPrevious;
  const { snapshot, resume } = useLog({ url, follow: follow && !previous, previous, tailLines, isActive });
  const search = useMemo(() => ({ query: query.trim(), onlyMatching, timestamps }), [query, onlyMatching, timestamps]);
  const matches = snapshot.chunks.reduce((sum, chunk) => sum + chunkView(chunk, search).matches, 0);
  return (
    <>
      <div className={classes.toolbar}>
        {children}
        <NativeSelect
          label="Show last"
          data={tails}
          value={tailLines}
          onChange={(event) => setTailLines(event.currentTarget.value)}
        />
        <SearchField
          query={query}
          matches={search.query === '' ? undefined : matches}
          onQuery={setQuery}
          onMove={(step) => goToMatch(viewport.current, step)}
        />
        <DownloadLog url={url} previous={previous} fileName={fileName} />
      </div>
      <div className={classes.options}>
        <Checkbox
          label="Follow"
          checked={follow && !previous}
          disabled={previous}
          onChange={(event) => setFollow(event.currentTarget.checked)}
        />
        <Checkbox label="Wrap lines" checked={wrap} onChange={(event) => setWrap(event.currentTarget.checked)} />
        <Checkbox
          label="Timestamps"
          checked={timestamps}
          onChange={(event) => setTimestamps(event.currentTarget.checked)}
        />
        <Checkbox
          label="Only matching lines"
          checked={onlyMatching}
          onChange={(event) => setOnlyMatching(event.currentTarget.checked)}
        />
        {hasPrevious ? (
          <Checkbox
            label="Previous container"
            checked={previous}
            onChange={(event) => setPrevious(event.currentTarget.checked)}
          />
        ) : null}
      </div>
      {snapshot.state === 'refused' ? <ErrorNotice error={snapshot.error} onRetry={resume} /> : null}
      <LogViewport snapshot={snapshot} search={search} wrap={wrap} label={label} viewport={viewport} />
      <div className={classes.status}>
        <span role="status">
          {stateText(snapshot, previous)}
          {snapshot.state === 'ended' && !previous ? (
            <Button variant="subtle" size="compact-xs" ml="xs" onClick={resume}>
              Load new lines
            </Button>
          ) : null}
        </span>
        <span>{countText(snapshot)}</span>
      </div>
    </>
  );
}

interface LogChoice {
  readonly url: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly tailLines: string;
  readonly isActive: boolean;
}

const noSubscription = () => () => {};

function useLog({ url, follow, previous, tailLines, isActive }: LogChoice) {
  const stream = useMemo(() => {
    const login = session.login();
    return new LogStream({
      url,
      follow,
      previous,
      tailLines: Number(tailLines),
      clock: browserClock,
      send,
      onBroken: (error) => endSessionOn401(error, login),
    });
  }, [url, follow, previous, tailLines]);
  const snapshot = useSyncExternalStore(isActive ? stream.subscribe : noSubscription, stream.get);
  return { snapshot, resume: stream.resume };
}

interface SearchFieldProps {
  readonly query: string;
  /** The number of lines that match; `undefined` without a search. */
  readonly matches: number | undefined;
  onQuery(query: string): void;
  onMove(step: 1 | -1): void;
}

function SearchField({ query, matches, onQuery, onMove }: SearchFieldProps) {
  const handleKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    onMove(event.shiftKey ? -1 : 1);
  };
  return (
    <>
      <TextInput
        className={classes.search ?? ''}
        label="Search in the log"
        {...(matches === undefined
          ? {}
          : {
              rightSection: (
                <Text size="xs" c="dimmed" role="status">
                  {matches} found
                </Text>
              ),
              rightSectionWidth: 84,
            })}
        leftSection={<Icon name="search" size={16} />}
        value={query}
        onChange={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={handleKey}
        autoComplete="off"
        spellCheck={false}
      />
      {matches === undefined || matches === 0 ? null : (
        <ActionIcon.Group>
          <ActionIcon variant="default" size="input-sm" aria-label="Previous match" onClick={() => onMove(-1)}>
            <Icon name="up" />
          </ActionIcon>
          <ActionIcon variant="default" size="input-sm" aria-label="Next match" onClick={() => onMove(1)}>
            <Icon name="down" />
          </ActionIcon>
        </ActionIcon.Group>
      )}
    </>
  );
}

/** Makes the next or previous match the current one and scrolls to it. */
function goToMatch(viewport: HTMLElement | null, step: 1 | -1): void {
  const marks = [...(viewport?.querySelectorAll('mark') ?? [])];
  if (marks.length === 0) return;
  const current = marks.findIndex((mark) => mark.hasAttribute('data-current'));
  marks[current]?.removeAttribute('data-current');
  // The first step goes to the latest match, because the user usually reads the end of the log.
  const next = current < 0 ? marks.length - 1 : (current + step + marks.length) % marks.length;
  marks[next]?.setAttribute('data-current', '');
  marks[next]?.scrollIntoView({ block: 'center' });
}

function stateText({ state, lineCount }: LogSnapshot, previous: boolean): string {
  if (state === 'loading') return 'Loading log…';
  if (state === 'interrupted') return 'Connection lost. The log continues when the server is reachable again.';
  if (state === 'refused') return '';
  if (state === 'live') return lineCount === 0 ? 'The log is empty. New lines appear here.' : 'Following new lines.';
  if (lineCount === 0) return 'The log is empty.';
  return previous ? 'End of the log of the previous container.' : 'End of the log.';
}

function countText({ lineCount, dropped }: LogSnapshot): string {
  const count = pluralize(lineCount, 'line');
  return dropped === 0 ? count : `Last ${count}. To see the ${pluralize(dropped, 'earlier line')}, download the log.`;
}
