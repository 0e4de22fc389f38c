import { yamlText } from '@flotilla/yaml';
import { Button, Code, Group, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { CopyButton } from '../../../components/copy-button.tsx';
import { YamlField } from '../../../components/form/yaml-field.tsx';
import { Panel } from '../../../components/panel.tsx';
import { setAt } from '../../../data/objects/set-at.ts';
import classes from './create.module.css';
import { parseManifest } from './draft.ts';
import { maskPasswords } from './parameter-values.ts';
import type { DraftForm } from './use-draft-form.ts';

interface ManifestPanelProps {
  readonly form: DraftForm;
  /** The projects in which the caller may create instances of this type. */
  readonly projects: readonly string[];
  /** The problems that the server's dry run reports. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  /** Called with the reason if the text is invalid, and with `undefined` if it is valid. */
  onFault(fault: string | undefined): void;
}

/** A panel with the manifest as YAML. Users can copy it, and edit it for fields that the form does not offer. */
export function ManifestPanel(props: ManifestPanelProps) {
  const [isEditing, setEditing] = useState(false);
  const { form } = props;
  return (
    <Panel
      title="YAML"
      actions={
        <Button size="compact-sm" variant="subtle" onClick={() => setEditing(!isEditing)} aria-pressed={isEditing}>
          {isEditing ? 'Stop editing' : 'Edit as YAML'}
        </Button>
      }
    >
      {isEditing ? <ManifestEditor {...props} /> : <ManifestView form={form} />}
    </Panel>
  );
}

function ManifestView({ form: { type, manifest, parameters, fields } }: Pick<ManifestPanelProps, 'form'>) {
  const given = fields.parameters;
  const shown = maskPasswords(given, parameters);
  const text = yamlText(given === shown ? manifest : setAt(manifest, ['spec', 'parameters'], shown));
  return (
    <>
      <Code block className={classes.yaml ?? ''} tabIndex={0} aria-label={`${type.title} YAML`}>
        {text}
      </Code>
      <Group justify="space-between" mt="xs" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {given === shown
            ? 'You can apply this YAML with kubectl apply -f.'
            : 'You can apply this YAML with kubectl apply -f. Passwords are hidden here.'}
        </Text>
        <CopyButton text={text} what="YAML" />
      </Group>
    </>
  );
}

function ManifestEditor({ form, projects, problems, onFault }: ManifestPanelProps) {
  const { type } = form;
  const schema = useMemo(() => ({ kind: type.kind }), [type]);
  const current = yamlText(form.manifest);
  const [text, setText] = useState(current);
  const [applied, setApplied] = useState(current);
  const [fault, setFault] = useState<{ readonly message: string; readonly line?: number }>();
  // Replaces the text after a change in the form. After an edit of the text itself, the form is already up to date and
  // the text is kept.
  if (current !== applied) {
    setApplied(current);
    setText(current);
    setFault(undefined);
  }
  const hasFault = fault !== undefined;
  useEffect(() => {
    onFault(hasFault ? 'The YAML is invalid. Fix it to continue.' : undefined);
    return () => onFault(undefined);
  }, [hasFault, onFault]);

  const change = (next: string) => {
    setText(next);
    const read = parseManifest(type.kind, next);
    if ('problem' in read) {
      setFault({ message: read.problem, ...(read.line === undefined ? {} : { line: read.line }) });
      return;
    }
    if (read.project !== undefined && !projects.includes(read.project)) {
      setFault({ message: `You do not have permission to create ${type.noun}s in project ${read.project}.` });
      return;
    }
    setFault(undefined);
    const place = {
      kind: type.kind,
      project: read.project ?? form.project,
      defaultTemplate: form.offer.defaultTemplate,
    };
    setApplied(yamlText(form.manifestFor(read.draft, place)));
    form.setAll(read.draft, read.project);
  };
  return (
    <YamlField
      label={`${type.title} YAML`}
      value={text}
      onChange={change}
      schema={schema}
      problems={fault === undefined ? problems : [fault]}
      minHeight={280}
    />
  );
}
