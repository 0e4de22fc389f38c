import { Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { Dialog } from '../../components/form/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { pluralize } from '../../data/format-text.ts';
import type { InstanceType } from '../../data/instance-types.ts';
import { type KindRef, kinds } from '../../data/kind-ref.ts';
import { usePermissions } from '../../data/permissions.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { useSeesAll } from '../../data/rows/use-sees-all.ts';
import { InstanceChangeDialog, type InstanceChangeRequest } from '../../pages/instances/list/change-dialog.tsx';
import classes from './command-palette.module.css';
import { findEntries, type PaletteEntry, sourceOf } from './find-entries.ts';
import { useFixedEntries } from './fixed-entries.ts';
import { type KindRows, objectSources, paletteKinds } from './object-sources.ts';

/**
 * The maximum number of results. The search returns a few more, because the user may lack the permission for some
 * actions.
 */
const maxShown = 16;
const maxFound = 40;

/** The delay between typing and searching. It prevents a permission request for each letter. */
const searchDelayMs = 120;

export interface CommandPaletteProps {
  onClose(): void;
  /** Shows the keyboard shortcuts. */
  onHelp(): void;
}

/** The dialog that opens any page or object and runs any action by name. Open as long as it is mounted. */
export function CommandPalette({ onClose, onHelp }: CommandPaletteProps) {
  const [change, setChange] = useState<{ readonly type: InstanceType; readonly request: InstanceChangeRequest }>();
  if (change !== undefined) return <InstanceChangeDialog {...change} onClose={onClose} />;
  return (
    <Dialog title="Go to a page or object, or run an action" size="lg" onClose={onClose}>
      <Search onClose={onClose} onHelp={onHelp} onChange={(type, request) => setChange({ type, request })} />
    </Dialog>
  );
}

interface SearchProps extends CommandPaletteProps {
  onChange(type: InstanceType, request: InstanceChangeRequest): void;
}

function Search({ onClose, onHelp, onChange }: SearchProps) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text, searchDelayMs);
  const [selected, setSelected] = useState(0);
  const [rows, setRows] = useState<ReadonlyMap<string, KindRows>>(new Map());
  const id = useId();
  const mayList = usePermissions(paletteKinds.map((kind) => ({ verb: 'list', kind })));
  const listed = paletteKinds.filter((kind, index) => isPersonal(kind) || mayList[index]?.allowed === true);
  const takeRows = useCallback(
    ({ plural }: KindRef, snapshot: KindRows) => setRows((before) => new Map(before).set(plural, snapshot)),
    [],
  );
  const fixed = useFixedEntries(onHelp);
  const sources = useMemo(
    () => [
      {
        ...sourceOf(
          fixed,
          ({ title }) => title,
          (entry) => entry,
        ),
        isInitial: true,
      },
      ...objectSources(({ plural }) => rows.get(plural), { navigate, onChange }),
    ],
    [fixed, rows, navigate, onChange],
  );
  const { entries, total } = useMemo(() => findEntries(sources, query, maxFound), [sources, query]);
  const shown = usePermittedEntries(entries);
  const active = Math.min(selected, shown.length - 1);

  const isComplete = query === text && listed.every(({ plural }) => rows.get(plural)?.isLoaded === true);

  function run(entry: PaletteEntry | undefined): void {
    if (entry === undefined) return;
    // An action that asks for confirmation replaces the dialog; all other entries close it.
    if (!entry.title.endsWith('…')) onClose();
    entry.run();
  }

  const runLater = useDelayedEnter(text, isComplete && shown.length > 0, () => run(shown[0]));

  function handleKey(event: KeyboardEvent): void {
    const last = shown.length - 1;
    const next = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + 6, PageUp: active - 6 }[event.key];
    if (event.key === 'Enter') {
      event.preventDefault();
      // If the results for the typed text are still missing, the entry runs when they arrive.
      if (query === text && shown.length > 0) run(shown[active]);
      else runLater();
    } else if (next !== undefined) {
      event.preventDefault();
      const wraps = event.key.startsWith('Arrow');
      setSelected(next < 0 ? (wraps ? last : 0) : next > last ? (wraps ? 0 : last) : next);
    }
  }

  return (
    <>
      {listed.map((kind) => (
        <RowsOf key={kind.plural} kind={kind} onRows={takeRows} />
      ))}
      <TextInput
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={handleKey}
        leftSection={<Icon name="search" size={16} />}
        placeholder="Search, or type an action such as sleep"
        aria-label="Search pages, objects and actions"
        role="combobox"
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        {...(shown.length === 0 ? {} : { 'aria-activedescendant': `${id}-${active}` })}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <ResultList id={id} entries={shown} active={active} onSelect={setSelected} onRun={run} />
      <ResultStatus shown={shown.length} total={total} query={query} onClose={onClose} />
    </>
  );
}

/**
 * Returns a handler for Enter that also works before the results for the text are known. When the results are known,
 * the handler calls `run` once, unless the user has changed the text in the meantime.
 */
function useDelayedEnter(text: string, isReady: boolean, run: () => void): () => void {
  const [entered, setEntered] = useState<string>();
  useEffect(() => {
    if (entered === undefined || (entered === text && !isReady)) return;
    setEntered(undefined);
    if (entered === text) run();
  }, [entered, text, isReady, run]);
  return () => setEntered(text);
}

interface ResultListProps {
  readonly id: string;
  readonly entries: readonly PaletteEntry[];
  /** The index of the selected entry. */
  readonly active: number;
  onSelect(index: number): void;
  onRun(entry: PaletteEntry): void;
}

/** The found entries. The selected one is scrolled into view. */
function ResultList({ id, entries, active, onSelect, onRun }: ResultListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  return (
    <div ref={list} id={id} role="listbox" aria-label="Results" className={classes.list}>
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys and keeps the focus.
        <div
          key={entry.id}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
          aria-selected={index === active}
          className={classes.entry}
          onMouseMove={() => onSelect(index)}
          onClick={() => onRun(entry)}
        >
          <Icon name={entry.icon} size={16} />
          <span className={classes.title}>{entry.title}</span>
          <span className={classes.about}>{entry.about}</span>
        </div>
      ))}
    </div>
  );
}

interface ResultStatusProps {
  readonly shown: number;
  readonly total: number;
  readonly query: string;
  onClose(): void;
}

/**
 * Shows the number of results. Without results, shows a link to the activity of an object with the typed name, which
 * may have been deleted.
 */
function ResultStatus({ shown, total, query, onClose }: ResultStatusProps) {
  const seesAll = useSeesAll(kinds.instance);
  const name = query.trim();
  return (
    <Text size="xs" c="dimmed" role="status" mt="xs" component="div">
      {countText(shown, total, seesAll)}
      {shown > 0 || name === '' ? null : (
        <>
          {' '}
          <Link to="/activity" search={{ name }} onClick={onClose}>
            Show activity of {name}
          </Link>
        </>
      )}
    </Text>
  );
}

function countText(shown: number, total: number, seesAll: boolean): string {
  if (shown === 0) {
    return seesAll
      ? 'No results. Search for a name, a project or an action.'
      : 'No results among the objects that you may see. Ask the owner of a virtual cluster, or an admin of its project, to share it with you.';
  }
  return total > maxFound
    ? `The first ${shown} of ${total} results. Type more to narrow them.`
    : pluralize(shown, 'result');
}

const personalKinds: readonly KindRef[] = [kinds.instance, kinds.space, kinds.project, kinds.ownedKey];

/** True if every user may list the kind. For each user, the list contains only the objects that the user may see. */
function isPersonal({ plural }: KindRef): boolean {
  return personalKinds.some((kind) => kind.plural === plural);
}

/** Loads and watches the rows of one kind as long as the palette is open. Renders nothing. */
function RowsOf({ kind, onRows }: { readonly kind: KindRef; onRows(kind: KindRef, rows: KindRows): void }) {
  const { columns, rows, state } = useRows({ kind });
  const isLoaded = state !== 'loading';
  useEffect(() => onRows(kind, { columns, rows, isLoaded }), [kind, columns, rows, isLoaded, onRows]);
  return null;
}

/** Returns the entries that the user may run, at most as many as the palette shows. */
function usePermittedEntries(entries: readonly PaletteEntry[]): readonly PaletteEntry[] {
  const checked = entries.filter(({ permission }) => permission !== undefined);
  const permissions = usePermissions(checked.flatMap(({ permission }) => permission ?? []));
  const allowed = new Set(checked.filter((_, index) => permissions[index]?.allowed === true));
  return entries.filter((entry) => entry.permission === undefined || allowed.has(entry)).slice(0, maxShown);
}
