import { Text } from '@mantine/core';
import type { KubeObject } from '../../../src/api/meta.ts';
import { Confirm } from '../../components/confirm.tsx';
import { notify } from '../../components/notices.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects.ts';
import { useMadeFrom } from './use-made-from.ts';

export interface DeleteTemplateProps {
  readonly template: KubeObject;
  onClose(): void;
  onDeleted(): void;
}

export function DeleteTemplate({ template, onClose, onDeleted }: DeleteTemplateProps) {
  const { name = '', uid } = template.metadata;
  const { length: used } = useMadeFrom(name);
  return (
    <Confirm
      title={`Delete the template ${name}?`}
      action={`Delete ${name}`}
      typed={name}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kinds.template, { name }, { uid });
        notify.done(`The template ${name} is deleted`);
        onDeleted();
      }}
    >
      <Text size="sm">
        {used === 0
          ? 'No virtual cluster that you can see is made from it.'
          : `${used === 1 ? 'One virtual cluster is' : `${used} virtual clusters are`} made from it. They stay as they are, and can no longer be brought up to date with it.`}{' '}
        This cannot be undone.
      </Text>
    </Confirm>
  );
}
