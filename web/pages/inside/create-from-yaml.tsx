import { Button, Group, List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { StatusError } from '../../../src/api/status.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notify } from '../../components/notices.tsx';
import { Panel } from '../../components/panel.tsx';
import { type TextProblem, YamlField } from '../../components/yaml-field.tsx';
import { discoveryQuery, type ServedKind } from '../../data/discovery.ts';
import { createObject } from '../../data/objects.ts';
import { useInside } from './inside-context.ts';

export interface CreateFromYamlProps {
  /** What it begins with. */
  readonly kind: ServedKind;
  /** Where objects go that name none; absent: `default`. */
  readonly namespace: string | undefined;
  readonly served: readonly ServedKind[];
  onDone(): void;
}

/** Makes the objects of a text, one after the other; what is made already is not made again. */
export function CreateFromYaml({ kind, namespace = 'default', served, onDone }: CreateFromYamlProps) {
  const { root } = useInside();
  const queries = useQueryClient();
  const [text, setText] = useState(() => beginning(kind, namespace));
  const [made, setMade] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState<unknown>();
  const [problems, setProblems] = useState<readonly TextProblem[]>([]);
  const [isBusy, setBusy] = useState(false);

  async function create(): Promise<void> {
    setBusy(true);
    setError(undefined);
    setProblems([]);
    const done = new Map(made);
    // Reading YAML takes a script that nobody needs before.
    const { readWanted, splitDocuments } = await import('./wanted-objects.ts');
    const documents = splitDocuments(text);
    try {
      if (documents.length === 0) throw new Error('There is no object in the text.');
      for (const document of documents.filter((each) => !done.has(each))) {
        const wanted = readWanted(document, { served, namespace });
        const { metadata } = await createObject(wanted.kind, wanted.object, { root, ...wanted.place });
        done.set(document, `${wanted.kind.kind} ${metadata.name}`);
      }
      notify.done(`Made: ${[...done.values()].join(', ')}`);
      // A new definition is a new kind.
      await queries.invalidateQueries({ queryKey: discoveryQuery(root).queryKey });
      onDone();
    } catch (refusal) {
      setError(refusal);
      setMade(done);
      // In one document the fields that the server names can be found.
      if (documents.length === 1) setProblems(problemsOf(refusal));
      setBusy(false);
    }
  }

  return (
    <Panel title={`New ${kind.kind}`}>
      <Text size="sm" c="dimmed" mb="sm">
        One object, or several with a line of <span className="mono">---</span> between them. Objects that name no
        namespace go into <span className="mono">{namespace}</span>.
      </Text>
      <YamlField
        label="The objects to make, as YAML"
        value={text}
        onChange={setText}
        schema={{ kind, root }}
        problems={problems}
        minHeight={280}
      />
      {made.size === 0 ? null : (
        <List size="sm" mt="sm">
          {[...made].map(([document, what]) => (
            <List.Item key={document}>{what} is made.</List.Item>
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

function beginning(kind: ServedKind, namespace: string): string {
  const within = kind.namespaced ? `  namespace: ${namespace}\n` : '';
  return `apiVersion: ${apiVersionOf(kind)}\nkind: ${kind.kind}\nmetadata:\n  name: example\n${within}`;
}

function problemsOf(error: unknown): readonly TextProblem[] {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return causes.map(({ field, message = '' }) => (field === undefined ? { message } : { path: field, message }));
}
