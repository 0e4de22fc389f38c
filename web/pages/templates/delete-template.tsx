import { Text } from '@mantine/core';
import type { VirtualClusterTemplate } from '../../../src/api/management/v1/virtual-cluster-template.ts';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects/objects.ts';
import { useTemplateInstances } from './use-template-instances.ts';

export interface DeleteTemplateProps {
  readonly template: VirtualClusterTemplate;
  onClose(): void;
  onDeleted(): void;
}

export function DeleteTemplate({ template, onClose, onDeleted }: DeleteTemplateProps) {
  const { name = '', uid } = template.metadata;
  const { length: used } = useTemplateInstances(name);
  return (
    <Confirm
      title={`Delete template ${name}?`}
      action={`Delete ${name}`}
      confirmationText={name}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kinds.template, { name }, { uid });
        notify.done(`Deleted template ${name}`);
        onDeleted();
      }}
    >
      <Text size="sm">
        {used === 0
          ? 'No virtual cluster that you can see uses this template.'
          : `${used === 1 ? '1 virtual cluster uses' : `${used} virtual clusters use`} this template. Existing virtual clusters are kept, but can no longer be updated from it.`}{' '}
        This cannot be undone.
      </Text>
    </Confirm>
  );
}
