import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiVersionOf, type KubeObject } from '../../../src/api/meta.ts';
import { DescribedFields } from '../../components/described-fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { NameField } from '../../components/name-field.tsx';
import { notify } from '../../components/notices.tsx';
import { describedSpec } from '../../data/described.ts';
import { displayNameOf } from '../../data/display-name.ts';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { createObject } from '../../data/objects.ts';
import { useRows } from '../../data/use-rows.ts';
import { templateSpec } from './template-parts.ts';

/** Something that shows how parameters and texts go together, for whoever begins with nothing. */
const example = {
  parameters: [
    { variable: 'env', label: 'Environment', options: ['dev', 'test'], defaultValue: 'dev', section: 'General' },
  ],
  template: {
    metadata: { labels: { env: '{{ .Values.env }}' } },
    objects: [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata:',
      '  name: welcome',
      '  namespace: default',
      'data:',
      '  text: Hello from {{ .Values.platform.name }}, {{ .Values.env | upper }}',
      '',
    ].join('\n'),
  },
};

/** What a template is begun with. */
function beginning(source: KubeObject | undefined): object {
  if (source === undefined) return example;
  const { template, parameters, versions } = templateSpec(source);
  return {
    ...(template === undefined ? {} : { template }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(versions === undefined ? {} : { versions }),
  };
}

export interface CreateTemplateProps {
  /** Name of the template that is to be copied. */
  readonly from?: string;
  onClose(): void;
}

/** A new template, from an example or from another. */
export function CreateTemplate({ from = '', onClose }: CreateTemplateProps) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [described, setDescribed] = useState({ displayName: '', description: '' });
  const [source, setSource] = useState(from);
  const { rows } = useRows({ kind: kinds.template, objects: true });

  async function send(): Promise<void> {
    const copied = rows.find(({ metadata }) => metadata.name === source)?.object;
    const made = await createObject(kinds.template, {
      apiVersion: apiVersionOf(kinds.template),
      kind: kinds.template.kind,
      metadata: { name: name.trim() },
      spec: { ...describedSpec(described), ...beginning(copied) },
    });
    const template = made.metadata.name ?? name;
    notify.done(`The template ${template} is there`);
    await navigate({ to: '/templates/$template', params: { template }, search: { tab: 'edit' } });
  }

  return (
    <FormDialog title="New template" action="Create" canSend={name.trim() !== ''} onSend={send} onClose={onClose}>
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <NameField value={name} onChange={setName} error={problem('metadata.name')} />
            <DescribedFields value={described} onChange={setDescribed} problem={problem} about="What it is for." />
            <NativeSelect
              label="Begin with"
              value={source}
              onChange={(event) => setSource(event.currentTarget.value)}
              data={[
                { value: '', label: 'A small example' },
                ...rows.map(({ metadata, object }) => ({
                  value: metadata.name ?? '',
                  label: `A copy of ${displayNameOf(object)}`,
                })),
              ]}
            />
          </>
        );
      }}
    </FormDialog>
  );
}
