import { Button, Group, List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { StatusError } from '../../../src/api/status.ts';
import type { TextProblem } from '../../components/editor/editor-props.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { YamlField } from '../../components/form/yaml-field.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/panel.tsx';
import { discoveryQuery, type ServedKind } from '../../data/discovery.ts';
import { createObject } from '../../data/objects/objects.ts';
import { useExplorer } from './explorer-context.ts';

export interface CreateFromYamlProps {
  /** The kind of the example that the form starts with. */
  readonly kind: ServedKind;
  /** The namespace for objects that do not specify one. Optional; defaults to `default`. */
  readonly namespace: string | undefined;
  readonly served: readonly ServedKind[];
  onDone(): void;
}

/**
 * A form that creates the objects of a YAML text one by one. If the creation of an object fails, the next attempt skips
 * the objects that already exist.
 */
export function CreateFromYaml({ kind, namespace = 'default', served, onDone }: CreateFromYamlProps) {
  const { root } = useExplorer();
  const queries = useQueryClient();
  const [text, setText] = useState(() => exampleYaml(kind, namespace));
  const [made, setMade] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState<unknown>();
  const [problems, setProblems] = useState<readonly TextProblem[]>([]);
  const [isBusy, setBusy] = useState(false);

  async function create(): Promise<void> {
    setBusy(true);
    setError(undefined);
    setProblems([]);
    const done = new Map(made);
    // The YAML parser is loaded on first use.
    const { parseObjectToCreate, splitDocuments } = await import('./object-to-create.ts');
    const documents = splitDocuments(text);
    try {
      if (documents.length === 0) throw new Error('The text contains no object.');
      for (const document of documents.filter((each) => !done.has(each))) {
        const wanted = parseObjectToCreate(document, { served, namespace });
        const { metadata } = await createObject(wanted.kind, wanted.object, { root, ...wanted.place });
        done.set(document, `${wanted.kind.kind} ${metadata.name}`);
      }
      notify.done(`Created ${[...done.values()].join(', ')}`);
      // Requests the list of kinds again, because a new CRD adds a kind.
      await queries.invalidateQueries({ queryKey: discoveryQuery(root).queryKey });
      onDone();
    } catch (failure) {
      setError(failure);
      setMade(done);
      // Shows problems at fields only if there is a single document. With several documents, the user would not know
      // which document a field belongs to.
      if (documents.length === 1) setProblems(problemsOf(failure));
      setBusy(false);
    }
  }

  return (
    <Panel title={`New ${kind.kind}`}>
      <Text size="sm" c="dimmed" mb="sm">
        Enter one object, or several objects separated by <span className="mono">---</span>. Objects without a namespace
        are created in <span className="mono">{namespace}</span>.
      </Text>
      <YamlField
        label="YAML"
        value={text}
        onChange={setText}
        schema={{ kind, root }}
        problems={problems}
        minHeight={280}
      />
      {made.size === 0 ? null : (
        <List size="sm" mt="sm">
          {[...made].map(([document, what]) => (
            <List.Item key={document}>{what} created</List.Item>
          ))}
        </List>
      )}
      {error === undefined ? null : <ErrorNotice error={error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => void create()}>
          Create
        </Button>
      </Group>
    </Panel>
  );
}

function exampleYaml(kind: ServedKind, namespace: string): string {
  const within = kind.namespaced ? `  namespace: ${namespace}\n` : '';
  return `apiVersion: ${apiVersionOf(kind)}\nkind: ${kind.kind}\nmetadata:\n  name: example\n${within}`;
}

function problemsOf(error: unknown): readonly TextProblem[] {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return causes.map(({ field, message = '' }) => (field === undefined ? { message } : { path: field, message }));
}
