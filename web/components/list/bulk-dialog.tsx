import { Button, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { errorMessage } from '../error-notice.tsx';
import { Dialog } from '../form/dialog.tsx';
import { Icon } from '../icon.tsx';
import classes from './bulk-dialog.module.css';
import { type BulkItemState, runForEach } from './run-for-each.ts';

export interface BulkItem {
  readonly key: string;
  readonly name: string;
  /** The project or namespace of the item, shown beside the name. */
  readonly where?: string;
}

export interface BulkDialogProps<Item extends BulkItem> {
  readonly title: string;
  /** Explains the effects of the action. */
  readonly about: string;
  /** Explains which selected items are skipped and why. Optional. */
  readonly skippedNote?: string | undefined;
  /** The label of the button, for example "Delete 3". */
  readonly action: string;
  /** The text for an item whose action is done, for example "put to sleep". */
  readonly doneLabel: string;
  readonly items: readonly Item[];
  /** The text that the user must type to enable the button, for actions that cannot be undone. Optional. */
  readonly confirmationText?: string | undefined;
  readonly danger?: boolean;
  run(item: Item): Promise<void>;
  /** Called when the dialog closes. `isTried` is true if the user started the action. */
  onClose(isTried: boolean): void;
}

/** The maximum number of item names that the dialog shows. Failed items are always shown. */
const mostNames = 200;

/** A dialog that asks once for confirmation, and then shows the result for each item. Open as long as it is mounted. */
export function BulkDialog<Item extends BulkItem>(props: BulkDialogProps<Item>) {
  const { title, about, skippedNote, action, items: given, confirmationText, danger = false, run, onClose } = props;
  // Keeps the items that the dialog first showed. The user confirms exactly these items, even if the list behind the
  // dialog changes.
  const [items] = useState(given);
  const [text, setText] = useState('');
  const [stage, setStage] = useState<'asking' | 'running' | 'over'>('asking');
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, BulkItemState>>(new Map());
  const [stopped] = useState(() => new AbortController());
  const closing = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (stage === 'over') closing.current?.focus();
  }, [stage]);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setStage('running');
    await runForEach(items, run, {
      signal: stopped.signal,
      onOutcome: (key, outcome) => setOutcomes((before) => new Map(before).set(key, outcome)),
    });
    setStage('over');
  }
  const close = () => {
    stopped.abort();
    onClose(stage !== 'asking');
  };

  return (
    <Dialog onClose={close} title={title} size="lg">
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          {stage === 'asking' ? (
            <Text size="sm">{about}</Text>
          ) : (
            <Sum items={items} outcomes={outcomes} doneLabel={props.doneLabel} />
          )}
          {skippedNote === undefined || stage !== 'asking' ? null : (
            <Text size="sm" c="dimmed">
              {skippedNote}
            </Text>
          )}
          <Names items={items} outcomes={outcomes} doneLabel={props.doneLabel} />
          {confirmationText === undefined || stage !== 'asking' ? null : (
            <TextInput
              label={
                <>
                  Type <span className="mono">{confirmationText}</span> to confirm
                </>
              }
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          )}
          <Group justify="flex-end">
            <Button ref={closing} variant="default" onClick={close}>
              {stage === 'asking' ? 'Cancel' : stage === 'running' ? 'Stop' : 'Close'}
            </Button>
            {stage === 'over' ? null : (
              <Button
                type="submit"
                color={danger ? 'red.9' : 'tide'}
                loading={stage === 'running'}
                disabled={items.length === 0 || (confirmationText !== undefined && text !== confirmationText)}
              >
                {action}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

interface SumProps extends Pick<BulkDialogProps<BulkItem>, 'items' | 'doneLabel'> {
  readonly outcomes: ReadonlyMap<string, BulkItemState>;
}

/** The progress of the action. Screen readers announce it. */
function Sum({ items, outcomes, doneLabel }: SumProps) {
  const count = (state: BulkItemState['state']) => [...outcomes.values()].filter((each) => each.state === state).length;
  const [done, failed] = [count('done'), count('failed')];
  return (
    <div>
      <Text size="sm" role="status" mb={6}>
        {done} of {items.length} {doneLabel}
        {failed === 0 ? '' : `, ${failed} failed`}
      </Text>
      <Progress.Root size="sm" aria-hidden="true">
        <Progress.Section value={(100 * done) / items.length} color="teal" />
        <Progress.Section value={(100 * failed) / items.length} color="red" />
      </Progress.Root>
    </div>
  );
}

function Names({ items, outcomes, doneLabel }: SumProps) {
  const shown = items.filter(({ key }, index) => index < mostNames || outcomes.get(key)?.state === 'failed');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll it only if it has the focus.
    <section className={classes.names} aria-label="Selected items" tabIndex={0}>
      <ul>
        {shown.map(({ key, name, where }) => (
          <li key={key}>
            <span>
              <span className={classes.name}>{name}</span>
              {where === undefined ? null : <span className={classes.where}> in {where}</span>}
            </span>
            <Result outcome={outcomes.get(key)} doneWord={doneLabel} />
          </li>
        ))}
      </ul>
      {items.length > shown.length ? <p>and {items.length - shown.length} more</p> : null}
    </section>
  );
}

function Result({ outcome, doneWord }: { readonly outcome: BulkItemState | undefined; readonly doneWord: string }) {
  if (outcome === undefined || outcome.state === 'waiting') return null;
  if (outcome.state === 'running') return <span className={classes.where}>…</span>;
  if (outcome.state === 'failed') return <span className={classes.failed}>{errorMessage(outcome.error)}</span>;
  return (
    <span className={classes.done}>
      <Icon name="check" size={14} /> {doneWord}
    </span>
  );
}
