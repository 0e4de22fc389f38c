import { Checkbox, NativeSelect, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { defaultTemplate } from '../../../src/api/naming.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notices.tsx';
import { changeObject } from '../../data/change-object.ts';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { useMay } from '../../data/permissions.ts';
import { useRows } from '../../data/use-rows.ts';
import { type Allowed, allows, readAllowed, writeAllowed } from './allowed.ts';
import { projectSpec } from './project-spec.ts';

interface EditProps {
  readonly project: KubeObject;
  onClose(): void;
}

/** On which clusters virtual clusters of the project may run. */
export function EditClusters({ project, onClose }: EditProps) {
  const { name = '' } = project.metadata;
  const [allowed, setAllowed] = useState(readAllowed(projectSpec(project).allowedClusters));
  const names = useNames(kinds.cluster, allowed);

  async function send(): Promise<void> {
    await changeObject(kinds.project, { name }, (object) => ({
      spec: { allowedClusters: writeAllowed(allowed, projectSpec(object).allowedClusters) },
    }));
    notify.done(`The clusters of ${name} are changed`);
  }

  return (
    <FormDialog title={`Clusters of ${name}`} action="Save" onSend={send} onClose={onClose}>
      {(error) => (
        <Choices
          label="Virtual clusters of the project may run on"
          every="All clusters, also those that come later"
          names={names}
          allowed={allowed}
          onChange={setAllowed}
          error={fieldProblems(error)('spec.allowedClusters')}
        />
      )}
    </FormDialog>
  );
}

/** What virtual clusters of the project may be made from. */
export function EditTemplates({ project, onClose }: EditProps) {
  const { name = '' } = project.metadata;
  const spec = projectSpec(project);
  const [allowed, setAllowed] = useState(readAllowed(spec.allowedTemplates));
  const [isRequired, setRequired] = useState(spec.requireTemplate?.disabled === false);
  const names = useNames(kinds.template, allowed);
  const { allowed: mayRequire } = useMay({
    verb: 'update',
    kind: kinds.project,
    name,
    subresource: 'spec.requireTemplate',
  });
  const { preset } = allowed;

  async function send(): Promise<void> {
    await changeObject(kinds.project, { name }, (object) => ({
      spec: {
        allowedTemplates: writeAllowed(allowed, projectSpec(object).allowedTemplates),
        ...(mayRequire ? { requireTemplate: { disabled: !isRequired } } : {}),
      },
    }));
    notify.done(`The templates of ${name} are changed`);
  }

  return (
    <FormDialog title={`Templates of ${name}`} action="Save" onSend={send} onClose={onClose}>
      {(error) => (
        <>
          <Choices
            label="Virtual clusters of the project may be made from"
            every="All templates, also those that come later"
            names={names}
            allowed={allowed}
            onChange={(next) =>
              setAllowed(next.preset !== undefined && allows(next, next.preset) ? next : { ...next, preset: undefined })
            }
            error={fieldProblems(error)('spec.allowedTemplates')}
          />
          <NativeSelect
            label="Default"
            description="For those who name no template."
            value={preset ?? ''}
            onChange={(event) => setAllowed({ ...allowed, preset: event.currentTarget.value || undefined })}
            data={[
              { value: '', label: `${defaultTemplate}, as everywhere` },
              ...names.filter((one) => allows(allowed, one)).map((one) => ({ value: one, label: one })),
            ]}
          />
          {mayRequire ? (
            <Switch
              label="A template has to be named, even where there is a default"
              checked={isRequired}
              onChange={(event) => setRequired(event.currentTarget.checked)}
            />
          ) : null}
        </>
      )}
    </FormDialog>
  );
}

/** Those that there are, and those that are named already without being there. */
function useNames(kind: typeof kinds.cluster | typeof kinds.template, { names }: Allowed): readonly string[] {
  const { rows } = useRows({ kind });
  return [...new Set([...rows.map(({ metadata }) => metadata.name ?? ''), ...names])].sort();
}

interface ChoicesProps {
  readonly label: string;
  readonly every: string;
  readonly names: readonly string[];
  readonly allowed: Allowed;
  onChange(allowed: Allowed): void;
  readonly error: string | undefined;
}

function Choices({ label, every, names, allowed, onChange, error }: ChoicesProps) {
  return (
    <Checkbox.Group
      label={label}
      error={error}
      value={allowed.all ? [...names] : [...allowed.names]}
      onChange={(chosen) => onChange({ ...allowed, names: chosen })}
    >
      <Stack gap="xs" mt="xs">
        <Switch
          label={every}
          checked={allowed.all}
          onChange={(event) => onChange({ ...allowed, all: event.currentTarget.checked })}
          data-autofocus
        />
        {names.map((name) => (
          <Checkbox key={name} value={name} label={name} disabled={allowed.all} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
