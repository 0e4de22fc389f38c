import { Text } from '@mantine/core';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { changeObject } from '../../data/objects/change-object.ts';
import type { Template, TemplateType } from '../../data/template-types.ts';
import { templateSpec } from './template-versions.ts';

export interface DeleteVersionProps {
  readonly type: TemplateType;
  readonly template: Template;
  readonly version: string;
  onClose(): void;
}

export function DeleteVersion({ type, template, version, onClose }: DeleteVersionProps) {
  const { name = '' } = template.metadata;
  return (
    <Confirm
      title={`Delete version ${version}?`}
      action={`Delete ${version}`}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await changeObject(type.kind, { name }, (newest) => ({
          spec: { versions: (templateSpec(newest).versions ?? []).filter((one) => one.version !== version) },
        }));
        notify.done(`Deleted version ${version} of ${name}`);
      }}
    >
      <Text size="sm">
        New {type.noun}s can no longer request exactly this version. Existing {type.noun}s that request it are kept
        unchanged and can no longer be updated from the template.
      </Text>
    </Confirm>
  );
}
