import { Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { VirtualClusterTemplate } from '../../../src/api/management/v1/virtual-cluster-template.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { changeObject } from '../../data/objects/change-object.ts';
import { nextVersion, type TemplateVersion, templateSpec } from './template-versions.ts';

export interface NewVersionProps {
  readonly template: VirtualClusterTemplate;
  /** The version to copy. */
  readonly from: TemplateVersion;
  readonly versions: readonly string[];
  onClose(): void;
}

/** Creates a version as a copy of another one, or of the template itself. */
export function NewVersion({ template, from, versions, onClose }: NewVersionProps) {
  const { name = '' } = template.metadata;
  const navigate = useNavigate();
  const [version, setVersion] = useState(() => nextVersion(versions));

  async function send(): Promise<void> {
    const added = { version: version.trim(), template: from.definition, parameters: from.parameters };
    await changeObject(kinds.template, { name }, (newest) => ({
      spec: { versions: [...(templateSpec(newest).versions ?? []), added] },
    }));
    notify.done(`Created version ${version.trim()} of ${name}`);
    await navigate({ to: '.', search: { tab: 'edit' } });
  }

  return (
    <FormDialog title="New version" action="Create" canSend={version.trim() !== ''} onSend={send} onClose={onClose}>
      {(error) => (
        <>
          <TextInput
            label="Version"
            description="A semantic version. New virtual clusters use the newest one by default."
            value={version}
            onChange={(event) => setVersion(event.currentTarget.value)}
            error={fieldProblems(error)('spec.versions')}
            autoComplete="off"
            spellCheck={false}
            required
            data-autofocus
          />
          <Text size="sm" c="dimmed">
            {from.version === ''
              ? 'Starts as a copy of the current template. Once a template has versions, its top-level definition is no longer used.'
              : `Starts as a copy of ${from.version}.`}
          </Text>
        </>
      )}
    </FormDialog>
  );
}
