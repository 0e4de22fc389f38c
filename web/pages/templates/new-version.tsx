import { Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notices.tsx';
import { changeObject } from '../../data/change-object.ts';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { nextVersion, type TemplatePart, templateSpec } from './template-parts.ts';

export interface NewVersionProps {
  readonly template: KubeObject;
  /** What the new one begins with. */
  readonly from: TemplatePart;
  readonly versions: readonly string[];
  onClose(): void;
}

/** A new version that begins as a copy of another, or of the template itself. */
export function NewVersion({ template, from, versions, onClose }: NewVersionProps) {
  const { name = '' } = template.metadata;
  const navigate = useNavigate();
  const [version, setVersion] = useState(() => nextVersion(versions));

  async function send(): Promise<void> {
    const added = { version: version.trim(), template: from.definition, parameters: from.parameters };
    await changeObject(kinds.template, { name }, (newest) => ({
      spec: { versions: [...(templateSpec(newest).versions ?? []), added] },
    }));
    notify.done(`Version ${version.trim()} of ${name} is there`);
    await navigate({ to: '.', search: { tab: 'edit' } });
  }

  return (
    <FormDialog title="New version" action="Create" canSend={version.trim() !== ''} onSend={send} onClose={onClose}>
      {(error) => (
        <>
          <TextInput
            label="Version"
            description="A semantic version. The newest is what new virtual clusters get."
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
              ? 'It begins as the template is now. From then on, virtual clusters are made from versions, not from what stands outside them.'
              : `It begins as a copy of ${from.version}.`}
          </Text>
        </>
      )}
    </FormDialog>
  );
}
