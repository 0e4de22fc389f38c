import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { type Ref, useEffect, useMemo, useState } from 'react';
import type { ManagedFieldsEntry } from '../../../src/api/meta.ts';
import type { ApiRoot } from '../../data/api-root.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { Age } from '../age.tsx';
import type { DraftState } from './draft-state.ts';
import { fieldChanges, writerOf } from './field-changes.ts';
import { fieldText } from './field-steps.ts';
import { mergeDraft } from './merge-draft.ts';
import { writtenPart } from './object-draft.ts';
import classes from './object-editor.module.css';
import type { MergeConflict, MergeRules, Side } from './three-way-merge.ts';
import { valueText } from './value-text.ts';
import { readNewest } from './write-draft.ts';

type Choice = 'mine' | 'theirs';

export interface MeanwhileNoticeProps {
  readonly kind: KindRef;
  readonly root?: ApiRoot | undefined;
  readonly state: DraftState;
  readonly rules: MergeRules;
  readonly noticeRef: Ref<HTMLDivElement>;
  onMerge(text: string): void;
  onDrop(): void;
}

const mostShown = 8;

/** Somebody else changed the object while this text was being written: who, what, and how both come together. */
export function MeanwhileNotice({ kind, root, state, rules, noticeRef, onMerge, onDrop }: MeanwhileNoticeProps) {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const record = useRecord(state, kind, root);
  const changes = useMemo(() => fieldChanges(writtenPart(state.base), writtenPart(state.live)), [state]);
  const merged = useMemo(
    () => mergeDraft(state, { ...rules, choose: (steps) => choices[fieldText(steps)] ?? 'mine' }),
    [state, rules, choices],
  );
  const open = merged?.conflicts.filter(({ steps }) => choices[fieldText(steps)] === undefined).length ?? 0;
  return (
    <Alert
      ref={noticeRef}
      tabIndex={-1}
      color="yellow"
      title="Somebody else changed this while you were writing"
      role="status"
      mb="md"
    >
      <Stack gap="sm">
        <ul className={classes.changes} aria-label="What changed meanwhile">
          {changes.slice(0, mostShown).map(({ steps, before, after }) => {
            const writer = writerOf(steps, state.live, record);
            return (
              <li key={fieldText(steps)}>
                <span className="mono">{fieldText(steps)}</span> {changeText(before, after)}
                {writer === undefined ? null : (
                  <Text span size="sm" c="dimmed">
                    {' '}
                    (by {writer.manager}
                    {writer.time === undefined ? null : (
                      <>
                        , <Age since={writer.time} /> ago
                      </>
                    )}
                    )
                  </Text>
                )}
              </li>
            );
          })}
          {changes.length > mostShown ? <li>and {changes.length - mostShown} more</li> : null}
        </ul>
        {merged?.conflicts.map((conflict) => (
          <ConflictChoice
            key={fieldText(conflict.steps)}
            conflict={conflict}
            choice={choices[fieldText(conflict.steps)]}
            onChoose={(choice) => setChoices({ ...choices, [fieldText(conflict.steps)]: choice })}
          />
        ))}
        <Text size="sm">
          {merged === undefined
            ? 'Your text cannot be read as YAML at the moment. Mend it first, then both can be merged.'
            : merged.conflicts.length === 0
              ? 'Your changes are of other fields, so both fit together.'
              : 'You both changed the same. Choose what is to stay; the rest is merged by itself.'}{' '}
          Nothing is saved by that, and Ctrl+Z takes it back.
        </Text>
        <Group gap="sm">
          <Button
            size="xs"
            disabled={merged === undefined || open > 0}
            onClick={() => {
              if (merged !== undefined) onMerge(merged.text);
            }}
          >
            Merge both
          </Button>
          <Button size="xs" variant="default" onClick={onDrop}>
            Drop my changes
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function changeText(before: Side, after: Side): string {
  if (before === undefined) return `was added: ${valueText(after)}`;
  if (after === undefined) return `was removed; it was ${valueText(before)}`;
  return `was ${valueText(before)} and is now ${valueText(after)}`;
}

function ConflictChoice({
  conflict: { steps, base, mine, theirs },
  choice,
  onChoose,
}: {
  readonly conflict: MergeConflict;
  readonly choice: Choice | undefined;
  onChoose(choice: Choice): void;
}) {
  return (
    <Radio.Group
      label={
        <>
          <span className="mono">{fieldText(steps)}</span>, which was {valueText(base)}
        </>
      }
      value={choice ?? null}
      onChange={(value) => onChoose(value as Choice)}
    >
      <Stack gap={8} mt={6}>
        <Radio size="sm" value="mine" label={`Mine: ${valueText(mine)}`} />
        <Radio size="sm" value="theirs" label={`Theirs: ${valueText(theirs)}`} />
      </Stack>
    </Radio.Group>
  );
}

/** Who wrote what, as the object itself records it: lists come without, so it is asked for. */
function useRecord({ live }: DraftState, kind: KindRef, root: ApiRoot | undefined): readonly ManagedFieldsEntry[] {
  const [record, setRecord] = useState<readonly ManagedFieldsEntry[]>(live.metadata.managedFields ?? []);
  useEffect(() => {
    const own = live.metadata.managedFields;
    if (own !== undefined) {
      setRecord(own);
      return;
    }
    const asking = new AbortController();
    readNewest(kind, live, { ...(root === undefined ? {} : { root }), signal: asking.signal }).then(
      ({ metadata }) => setRecord(metadata.managedFields ?? []),
      // Without it nobody is named; what changed is told all the same.
      () => {},
    );
    return () => asking.abort();
  }, [live, kind, root]);
  return record;
}
