import { Checkbox, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { DisplayFieldInputs } from '../../components/form/display-field-inputs.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { NameField } from '../../components/form/name-field.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { displayFieldsSpec } from '../../data/objects/display-fields.ts';
import { createObject } from '../../data/objects/objects.ts';
import { usePermissions } from '../../data/permissions.ts';
import { LimitInput } from './limit-input.tsx';
import { quotaPatch } from './project-spec.ts';

const restrictedFields = ['spec.allowedClusters', 'spec.allowedTemplates', 'spec.quotas'];

const noLimits = { project: undefined, user: undefined };

/** A dialog that creates a project. It offers limits only to callers who may set them. */
export function CreateProject({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [described, setDescribed] = useState({ displayName: '', description: '' });
  const [anyCluster, setAnyCluster] = useState(true);
  const [anyTemplate, setAnyTemplate] = useState(true);
  const [limit, setLimit] = useState<number | undefined>();
  const [clusters, templates, quotas] = usePermissions(
    restrictedFields.map((subresource) => ({ verb: 'create', kind: kinds.project, subresource })),
  );

  async function send(): Promise<void> {
    const all = [{ name: '*' }];
    const { quotas: limits } = quotaPatch([
      { resource: 'virtualclusterinstances', before: noLimits, after: { ...noLimits, project: limit } },
    ]).spec;
    const made = await createObject(kinds.project, {
      apiVersion: apiVersionOf(kinds.project),
      kind: kinds.project.kind,
      metadata: { name: name.trim() },
      spec: {
        ...displayFieldsSpec(described),
        ...(clusters?.allowed === true && anyCluster ? { allowedClusters: all } : {}),
        ...(templates?.allowed === true && anyTemplate
          ? { allowedTemplates: [kinds.template, kinds.spaceTemplate].map(({ kind }) => ({ kind, name: '*' })) }
          : {}),
        ...(quotas?.allowed === true && limit !== undefined ? { quotas: limits } : {}),
      },
    });
    const project = made.metadata.name ?? name;
    notify.done(`Created project ${project}`);
    await navigate({ to: '/projects/$project', params: { project } });
  }

  return (
    <FormDialog title="New project" action="Create" canSend={name.trim() !== ''} onSend={send} onClose={onClose}>
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <NameField value={name} onChange={setName} error={problem('metadata.name')} />
            <DisplayFieldInputs value={described} onChange={setDescribed} problem={problem} />
            <Stack gap="xs">
              {clusters?.allowed === true ? (
                <Checkbox
                  label="Allow all clusters"
                  checked={anyCluster}
                  onChange={(event) => setAnyCluster(event.currentTarget.checked)}
                />
              ) : null}
              {templates?.allowed === true ? (
                <Checkbox
                  label="Allow all templates"
                  checked={anyTemplate}
                  onChange={(event) => setAnyTemplate(event.currentTarget.checked)}
                />
              ) : null}
            </Stack>
            {quotas?.allowed === true ? (
              <LimitInput
                label="Maximum number of virtual clusters"
                value={limit}
                onChange={setLimit}
                error={problem('spec.quotas')}
              />
            ) : null}
          </>
        );
      }}
    </FormDialog>
  );
}
