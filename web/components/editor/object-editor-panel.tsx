import { yamlText } from '@flotilla/yaml';
import { Button, Group, Text } from '@mantine/core';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { managementGroup } from '../../../src/api/naming.ts';
import { managementRoot } from '../../data/api-root.ts';
import { objectUrl } from '../../data/kind-ref.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { hasUpstreamChanges } from './draft-state.ts';
import { EditConflictNotice } from './edit-conflict-notice.tsx';
import type { ObjectEditorProps, TextProblem } from './editor-props.ts';
import type { MergeRules } from './merge/three-way-merge.ts';
import { draftObject, parseObjectText } from './object-draft.ts';
import classes from './object-editor.module.css';
import { ReviewDialog } from './review-dialog.tsx';
import { fetchSchema } from './schema/open-api.ts';
import type { SchemaTree } from './schema/schema-tree.ts';
import { ServerFields } from './server-fields.tsx';
import { useObjectDraft } from './use-object-draft.ts';
import { useReviewedSave } from './use-reviewed-save.ts';
import { YamlEditor } from './yaml-editor.tsx';

/** The implementation of `ObjectEditor`, loaded on demand. */
export function ObjectEditorPanel(props: ObjectEditorProps) {
  const { kind, root, object, readOnly = false } = props;
  const { name = '', namespace } = object.metadata;
  const url = objectUrl(root ?? managementRoot, kind, { name, namespace });
  if (readOnly) return <ReadOnlyObject {...props} />;
  return <WritableObject key={url} url={url} {...props} />;
}

function ReadOnlyObject({ object, label = 'YAML' }: ObjectEditorProps) {
  const { managedFields: _, ...metadata } = object.metadata;
  return <YamlEditor label={label} value={yamlText({ ...object, metadata } as KubeObject)} readOnly />;
}

const noProblems: readonly TextProblem[] = [];

function WritableObject({ url, kind, root, object, label = 'YAML', ...props }: ObjectEditorProps & { url: string }) {
  const { onSaved, onDraft, problems: given = noProblems } = props;
  const { state, isDirty, isRestored, dispatch } = useObjectDraft(url, object);
  const notice = useRef<HTMLDivElement>(null);
  const rules = useMergeRules(kind, root);
  const isBehind = hasUpstreamChanges(state);
  const read = useMemo(() => parseObjectText(state.text), [state.text]);
  const { problems, error, isBusy, checked, review, save, closeReview } = useReviewedSave({
    kind,
    root,
    state,
    dispatch,
    read,
    notice,
    onSaved,
  });
  const schema = useMemo(() => ({ kind, ...(root === undefined ? {} : { root }) }), [kind, root]);
  const shown = useMemo(() => [...given, ...problems], [given, problems]);

  useEffect(() => {
    if (read.value !== undefined) onDraft?.(draftObject(read.value, state.base));
  }, [read, state.base, onDraft]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (isDirty) void review();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a button offers the same action as the shortcut.
    <div onKeyDown={onKeyDown}>
      {isBehind ? (
        <EditConflictNotice
          kind={kind}
          root={root}
          state={state}
          rules={rules}
          noticeRef={notice}
          onMerge={(text) => dispatch({ type: 'merged', text })}
          onDrop={() => dispatch({ type: 'discarded' })}
        />
      ) : null}
      <YamlEditor
        label={label}
        value={state.text}
        onChange={(text) => dispatch({ type: 'typed', text })}
        schema={schema}
        problems={shown}
        minHeight={260}
      />
      {error === undefined ? null : <ErrorNotice error={error} />}
      <div className={classes.bar}>
        <Text size="sm" c="dimmed" role="status">
          {!isDirty ? 'No changes.' : isRestored ? 'Your unsaved changes were restored.' : 'You have unsaved changes.'}
        </Text>
        <Group gap="sm">
          <Button variant="default" disabled={!isDirty} onClick={() => dispatch({ type: 'discarded' })}>
            Discard changes
          </Button>
          <Button disabled={!isDirty} loading={isBusy} onClick={() => void review()}>
            Review and save
          </Button>
        </Group>
      </div>
      <ServerFields object={state.live} />
      {checked === undefined ? null : (
        <ReviewDialog before={state.base} after={checked.after} onSave={save} onClose={closeReview} />
      )}
    </div>
  );
}

/** Returns the merge rules for the lists of a kind, according to its schema. */
function useMergeRules(kind: ObjectEditorProps['kind'], root: ObjectEditorProps['root']): MergeRules {
  const [tree, setTree] = useState<SchemaTree>();
  useEffect(() => {
    let isMounted = true;
    void fetchSchema(kind, root).then((found) => {
      if (isMounted) setTree(() => found);
    });
    return () => {
      isMounted = false;
    };
  }, [kind, root]);
  return useMemo(
    () => ({
      listKeys: (steps) => tree?.at(steps)?.['x-kubernetes-list-map-keys'],
      // In the management API, every list of strings is a set of names, such as users, teams and verbs.
      isSet: (steps) => kind.group === managementGroup || tree?.at(steps)?.['x-kubernetes-list-type'] === 'set',
    }),
    [kind, tree],
  );
}
