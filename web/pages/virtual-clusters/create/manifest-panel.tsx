import { Button, Code, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { textAt } from '../../../../src/lib/json-path.ts';
import { yamlText } from '../../../../src/lib/yaml-text.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Panel } from '../../../components/panel.tsx';
import { YamlField } from '../../../components/yaml-field.tsx';
import { kinds } from '../../../data/kind-ref.ts';
import { setAt } from '../../../data/set-at.ts';
import classes from './create.module.css';
import { readManifest } from './draft.ts';
import { withoutPasswords } from './parameter-values.ts';
import type { DraftForm } from './use-draft-form.ts';

interface ManifestPanelProps {
  readonly form: DraftForm;
  /** Projects that a manifest may name. */
  readonly projects: readonly string[];
  /** What the server says of it. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  /** Called with what is wrong with a text that says nothing; undefined once it does. */
  onFault(fault: string | undefined): void;
}

const schema = { kind: kinds.instance };

/** The same as YAML: to look at, to take away, and to write in where the form does not go far enough. */
export function ManifestPanel(props: ManifestPanelProps) {
  const [isWriting, setWriting] = useState(false);
  const { form } = props;
  return (
    <Panel
      title="As YAML"
      actions={
        <Button size="compact-sm" variant="subtle" onClick={() => setWriting(!isWriting)} aria-pressed={isWriting}>
          {isWriting ? 'Only show it' : 'Write in it'}
        </Button>
      }
    >
      {isWriting ? <WrittenManifest {...props} /> : <ShownManifest form={form} />}
    </Panel>
  );
}

function ShownManifest({ form: { manifest, parameters } }: Pick<ManifestPanelProps, 'form'>) {
  const given = textAt(manifest, 'spec', 'parameters');
  const shown = withoutPasswords(given, parameters);
  const text = yamlText(given === shown ? manifest : setAt(manifest, ['spec', 'parameters'], shown));
  return (
    <>
      <Code block className={classes.yaml ?? ''} tabIndex={0} aria-label="The virtual cluster as YAML">
        {text}
      </Code>
      <Group justify="space-between" mt="xs" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {given === shown
            ? 'kubectl apply -f makes the same.'
            : 'kubectl apply -f makes the same; passwords are not shown here.'}
        </Text>
        <CopyButton text={text} what="the YAML" />
      </Group>
    </>
  );
}

function WrittenManifest({ form, projects, problems, onFault }: ManifestPanelProps) {
  const made = yamlText(form.manifest);
  const [text, setText] = useState(made);
  const [told, setTold] = useState(made);
  const [fault, setFault] = useState<{ readonly message: string; readonly line?: number }>();
  // What the form changed stands here too; what was written here says the same already.
  if (made !== told) {
    setTold(made);
    setText(made);
    setFault(undefined);
  }
  const hasFault = fault !== undefined;
  useEffect(() => {
    onFault(hasFault ? 'The YAML cannot be read: mend it first.' : undefined);
    return () => onFault(undefined);
  }, [hasFault, onFault]);

  const change = (next: string) => {
    setText(next);
    const read = readManifest(next);
    if ('problem' in read) {
      setFault({ message: read.problem, ...(read.line === undefined ? {} : { line: read.line }) });
      return;
    }
    if (read.project !== undefined && !projects.includes(read.project)) {
      setFault({ message: `You may not make virtual clusters in the project ${read.project}.` });
      return;
    }
    setFault(undefined);
    const place = { project: read.project ?? form.project, defaultTemplate: form.offer.defaultTemplate };
    setTold(yamlText(form.manifestFor(read.draft, place)));
    form.setAll(read.draft, read.project);
  };
  return (
    <YamlField
      label="The virtual cluster as YAML"
      value={text}
      onChange={change}
      schema={schema}
      problems={fault === undefined ? problems : [fault]}
      minHeight={280}
    />
  );
}
