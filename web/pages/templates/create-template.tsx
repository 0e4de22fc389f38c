import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { templateValuesName } from '../../../src/api/naming.ts';
import { DisplayFieldInputs } from '../../components/form/display-field-inputs.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { NameField } from '../../components/form/name-field.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { displayFieldsSpec } from '../../data/objects/display-fields.ts';
import { displayNameOf } from '../../data/objects/display-name.ts';
import { createObject } from '../../data/objects/objects.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import type { Template, TemplateType } from '../../data/template-types.ts';
import { templateSpec } from './template-versions.ts';

/** Returns an example as the initial content of a new template. It demonstrates parameters and template expressions. */
function exampleFor({ noun }: TemplateType): object {
  // The objects of a space are in the namespace of the space. Objects in a virtual cluster can be in any namespace.
  const place = noun === 'space' ? [] : ['  namespace: default'];
  return {
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
        ...place,
        'data:',
        `  text: Hello from {{ .Values.${templateValuesName}.name }}, {{ .Values.env | upper }}`,
        '',
      ].join('\n'),
    },
  };
}

/** Returns the initial spec of a new template: a copy of `source`, or the example if there is no source. */
function initialSpec(type: TemplateType, source: Template | undefined): object {
  if (source === undefined) return exampleFor(type);
  const { template, parameters, versions } = templateSpec(source);
  return {
    ...(template === undefined ? {} : { template }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(versions === undefined ? {} : { versions }),
  };
}

export interface CreateTemplateProps {
  readonly type: TemplateType;
  /** The name of the template to copy. Optional; defaults to the example. */
  readonly from?: string;
  onClose(): void;
}

/** A dialog that creates a template from the example or as a copy of an existing template. */
export function CreateTemplate({ type, from = '', onClose }: CreateTemplateProps) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [described, setDescribed] = useState({ displayName: '', description: '' });
  const [source, setSource] = useState(from);
  const { rows } = useRows({ kind: type.kind, objects: true });

  async function send(): Promise<void> {
    const copied = rows.find(({ metadata }) => metadata.name === source)?.object;
    const made = await createObject(type.kind, {
      apiVersion: apiVersionOf(type.kind),
      kind: type.kind.kind,
      metadata: { name: name.trim() },
      spec: { ...displayFieldsSpec(described), ...initialSpec(type, copied) },
    });
    const template = made.metadata.name ?? name;
    notify.done(`Created template ${template}`);
    await navigate({ to: type.detailPath, params: { template }, search: { tab: 'edit' } });
  }

  return (
    <FormDialog title="New template" action="Create" canSend={name.trim() !== ''} onSend={send} onClose={onClose}>
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <NameField value={name} onChange={setName} error={problem('metadata.name')} />
            <DisplayFieldInputs
              value={described}
              onChange={setDescribed}
              problem={problem}
              about="The purpose of the template."
            />
            <NativeSelect
              label="Start from"
              value={source}
              onChange={(event) => setSource(event.currentTarget.value)}
              data={[
                { value: '', label: 'Example' },
                ...rows.map(({ metadata, object }) => ({
                  value: metadata.name ?? '',
                  label: `Copy of ${displayNameOf(object)}`,
                })),
              ]}
            />
          </>
        );
      }}
    </FormDialog>
  );
}
