import { Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { changeObject } from '../../data/objects/change-object.ts';
import type { Template, TemplateType } from '../../data/template-types.ts';
import { nextVersion, type TemplateVersion, templateSpec } from './template-versions.ts';

export interface NewVersionProps {
  readonly type: TemplateType;
  readonly template: Template;
  /** The version to copy. */
  readonly from: TemplateVersion;
  readonly versions: readonly string[];
  onClose(): void;
}

/** A dialog that creates a template version as a copy of another version, or of the template itself. */
export function NewVersion({ type, template, from, versions, onClose }: NewVersionProps) {
  const { name = '' } = template.metadata;
  const navigate = useNavigate();
  const [version, setVersion] = useState(() => nextVersion(versions));

  async function send(): Promise<void> {
    const added = { version: version.trim(), template: from.definition, parameters: from.parameters };
    await changeObject(type.kind, { name }, (newest) => ({
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
            description={`A semantic version, such as 1.2.0. New ${type.noun}s use the newest version by default.`}
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
              ? 'The version starts as a copy of the current template. If a template has versions, its top-level definition is not used.'
              : `The version starts as a copy of version ${from.version}.`}
          </Text>
        </>
      )}
    </FormDialog>
  );
}
