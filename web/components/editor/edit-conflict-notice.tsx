import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { type Ref, useEffect, useMemo, useState } from 'react';
import type { ManagedFieldsEntry } from '../../../src/api/meta.ts';
import type { ApiRoot } from '../../data/api-root.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { Age } from '../object/age.tsx';
import type { DraftState } from './draft-state.ts';
import { fieldChanges, fieldWriter } from './merge/field-changes.ts';
import { fieldPathText } from './merge/field-path.ts';
import { mergeDraft } from './merge/merge-draft.ts';
import type { MergeConflict, MergeRules, MergeValue } from './merge/three-way-merge.ts';
import { editablePart } from './object-draft.ts';
import classes from './object-editor.module.css';
import { valueText } from './value-text.ts';
import { readLatest } from './write-draft.ts';

type Choice = 'mine' | 'theirs';

export interface EditConflictNoticeProps {
  readonly kind: KindRef;
  readonly root?: ApiRoot | undefined;
  readonly state: DraftState;
  readonly rules: MergeRules;
  readonly noticeRef: Ref<HTMLDivElement>;
  onMerge(text: string): void;
  onDrop(): void;
}

const maxShown = 8;

/**
 * A notice that the object changed during editing. It lists the changed fields and their managers, and offers a merge.
 */
export function EditConflictNotice({ kind, root, state, rules, noticeRef, onMerge, onDrop }: EditConflictNoticeProps) {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const managedFields = useManagedFields(state, kind, root);
  const changes = useMemo(() => fieldChanges(editablePart(state.base), editablePart(state.live)), [state]);
  const merged = useMemo(
    () => mergeDraft(state, { ...rules, choose: (steps) => choices[fieldPathText(steps)] ?? 'mine' }),
    [state, rules, choices],
  );
  const open = merged?.conflicts.filter(({ steps }) => choices[fieldPathText(steps)] === undefined).length ?? 0;
  return (
    <Alert
      ref={noticeRef}
      tabIndex={-1}
      color="yellow"
      title="This object was changed while you were editing"
      role="status"
      mb="md"
    >
      <Stack gap="sm">
        <ul className={classes.changes} aria-label="Changes made by others">
          {changes.slice(0, maxShown).map(({ steps, before, after }) => {
            const writer = fieldWriter(steps, state.live, managedFields);
            return (
              <li key={fieldPathText(steps)}>
                <span className="mono">{fieldPathText(steps)}</span> {changeText(before, after)}
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
          {changes.length > maxShown ? <li>and {changes.length - maxShown} more</li> : null}
        </ul>
        {merged?.conflicts.map((conflict) => (
          <ConflictChoice
            key={fieldPathText(conflict.steps)}
            conflict={conflict}
            choice={choices[fieldPathText(conflict.steps)]}
            onChoose={(choice) => setChoices({ ...choices, [fieldPathText(conflict.steps)]: choice })}
          />
        ))}
        <Text size="sm">
          {merged === undefined
            ? 'Your text is not valid YAML. Fix it to merge the changes.'
            : merged.conflicts.length === 0
              ? 'You changed other fields, so both changes can be merged automatically.'
              : 'Some fields have conflicting changes. Choose a value for each; the other fields are merged automatically.'}{' '}
          Merging does not save the object. You can undo the merge with Ctrl+Z.
        </Text>
        <Group gap="sm">
          <Button
            size="xs"
            disabled={merged === undefined || open > 0}
            onClick={() => {
              if (merged !== undefined) onMerge(merged.text);
            }}
          >
            Merge changes
          </Button>
          <Button size="xs" variant="default" onClick={onDrop}>
            Discard my changes
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function changeText(before: MergeValue, after: MergeValue): string {
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
          <span className="mono">{fieldPathText(steps)}</span>, previously {valueText(base)}
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

/** Returns the managed fields of the object. They are fetched separately, because lists omit them. */
function useManagedFields(
  { live }: DraftState,
  kind: KindRef,
  root: ApiRoot | undefined,
): readonly ManagedFieldsEntry[] {
  const [managedFields, setManagedFields] = useState<readonly ManagedFieldsEntry[]>(live.metadata.managedFields ?? []);
  useEffect(() => {
    const own = live.metadata.managedFields;
    if (own !== undefined) {
      setManagedFields(own);
      return;
    }
    const request = new AbortController();
    readLatest(kind, live, { ...(root === undefined ? {} : { root }), signal: request.signal }).then(
      ({ metadata }) => setManagedFields(metadata.managedFields ?? []),
      // If the managed fields cannot be fetched, the notice shows the changes without the names of the managers.
      () => {},
    );
    return () => request.abort();
  }, [live, kind, root]);
  return managedFields;
}
