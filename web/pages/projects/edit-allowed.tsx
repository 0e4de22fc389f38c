import { Checkbox, NativeSelect, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { defaultTemplate } from '../../../src/api/naming.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { type KindRef, kinds } from '../../data/kind-ref.ts';
import { changeObject } from '../../data/objects/change-object.ts';
import { usePermission } from '../../data/permissions.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import type { TemplateType } from '../../data/template-types.ts';
import { type AllowList, entriesOf, isAllowed, readAllowList, withEntriesOf, writeAllowList } from './allow-list.ts';
import { projectSpec } from './project-spec.ts';

interface EditProps {
  readonly project: Project;
  onClose(): void;
}

/** A dialog that edits the allowed clusters of a project. */
export function EditAllowedClusters({ project, onClose }: EditProps) {
  const { name = '' } = project.metadata;
  const [allowed, setAllowed] = useState(readAllowList(projectSpec(project).allowedClusters));
  const names = useNames(kinds.cluster, allowed);

  async function send(): Promise<void> {
    await changeObject(kinds.project, { name }, (object) => ({
      spec: { allowedClusters: writeAllowList(allowed, projectSpec(object).allowedClusters) },
    }));
    notify.done(`Saved ${name}`);
  }

  return (
    <FormDialog title={`Allowed clusters of ${name}`} action="Save" onSend={send} onClose={onClose}>
      {(error) => (
        <Choices
          label="Clusters that the project may use"
          every="All clusters, including future ones"
          names={names}
          allowed={allowed}
          onChange={setAllowed}
          error={fieldProblems(error)('spec.allowedClusters')}
        />
      )}
    </FormDialog>
  );
}

/** A dialog that edits the allowed templates of a kind in a project. */
export function EditAllowedTemplates({ type, project, onClose }: EditProps & { readonly type: TemplateType }) {
  const { kind, noun } = type;
  const { name = '' } = project.metadata;
  const spec = projectSpec(project);
  const [allowed, setAllowed] = useState(readAllowList(entriesOf(kind.kind, spec.allowedTemplates)));
  const [isRequired, setRequired] = useState(spec.requireTemplate?.disabled === false);
  const names = useNames(kind, allowed);
  const { allowed: mayRequire } = usePermission({
    verb: 'update',
    kind: kinds.project,
    name,
    subresource: 'spec.requireTemplate',
  });
  const { defaultName } = allowed;

  async function send(): Promise<void> {
    await changeObject(kinds.project, { name }, (object) => ({
      spec: {
        allowedTemplates: withEntriesOf(kind.kind, allowed, projectSpec(object).allowedTemplates),
        ...(mayRequire ? { requireTemplate: { disabled: !isRequired } } : {}),
      },
    }));
    notify.done(`Saved ${name}`);
  }

  return (
    <FormDialog
      title={`Allowed ${type.isOptional ? 'space templates' : 'templates'} of ${name}`}
      action="Save"
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Choices
            label={`Templates that ${noun}s of the project may use`}
            every="All templates, including future ones"
            names={names}
            allowed={allowed}
            onChange={(next) =>
              setAllowed(
                next.defaultName !== undefined && isAllowed(next, next.defaultName)
                  ? next
                  : { ...next, defaultName: undefined },
              )
            }
            error={fieldProblems(error)('spec.allowedTemplates')}
          />
          <NativeSelect
            label="Default template"
            description={`New ${noun}s that specify no template use this template.`}
            value={defaultName ?? ''}
            onChange={(event) => setAllowed({ ...allowed, defaultName: event.currentTarget.value || undefined })}
            data={[
              { value: '', label: type.isOptional ? 'None' : `${defaultTemplate} (server default)` },
              ...names.filter((one) => isAllowed(allowed, one)).map((one) => ({ value: one, label: one })),
            ]}
          />
          {mayRequire ? (
            <Switch
              label="Require new virtual clusters and spaces to specify a template"
              checked={isRequired}
              onChange={(event) => setRequired(event.currentTarget.checked)}
            />
          ) : null}
        </>
      )}
    </FormDialog>
  );
}

/**
 * Returns the names of all existing objects of a kind, and also the names in the allow list for which no object exists.
 */
function useNames(kind: KindRef, { names }: AllowList): readonly string[] {
  const { rows } = useRows({ kind });
  return [...new Set([...rows.map(({ metadata }) => metadata.name ?? ''), ...names])].sort();
}

interface ChoicesProps {
  readonly label: string;
  readonly every: string;
  readonly names: readonly string[];
  readonly allowed: AllowList;
  onChange(allowed: AllowList): void;
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
