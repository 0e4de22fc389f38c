import { Text } from '@mantine/core';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { deleteObject } from '../../data/objects/objects.ts';
import type { Template, TemplateType } from '../../data/template-types.ts';
import { useTemplateInstances } from './use-template-instances.ts';

export interface DeleteTemplateProps {
  readonly type: TemplateType;
  readonly template: Template;
  onClose(): void;
  onDeleted(): void;
}

export function DeleteTemplate({ type, template, onClose, onDeleted }: DeleteTemplateProps) {
  const { name = '', uid } = template.metadata;
  const { length: used } = useTemplateInstances(type.instanceKind, name);
  return (
    <Confirm
      title={`Delete template ${name}?`}
      action={`Delete ${name}`}
      confirmationText={name}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(type.kind, { name }, { uid });
        notify.done(`Deleted template ${name}`);
        onDeleted();
      }}
    >
      <Text size="sm">
        {used === 0
          ? `No ${type.noun} that you can see uses this template.`
          : `${used === 1 ? `1 ${type.noun} uses` : `${used} ${type.noun}s use`} this template. Existing ${type.noun}s are kept, but can no longer be updated from it.`}{' '}
        This cannot be undone.
      </Text>
    </Confirm>
  );
}
