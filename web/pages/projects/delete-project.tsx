import { Text } from '@mantine/core';
import type { KubeObject } from '../../../src/api/meta.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { Confirm } from '../../components/confirm.tsx';
import { notify } from '../../components/notices.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects.ts';
import { useRows } from '../../data/use-rows.ts';

export function DeleteProject({ project, onClose }: { readonly project: KubeObject; readonly onClose: () => void }) {
  const { name = '', uid } = project.metadata;
  const { rows } = useRows({ kind: kinds.instance, namespace: projectNamespace(name) });
  return (
    <Confirm
      title={`Delete the project ${name}?`}
      action={`Delete ${name}`}
      typed={name}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kinds.project, { name }, { uid });
        notify.done(`The project ${name} is being deleted`);
      }}
    >
      <Text size="sm">
        {rows.length === 0
          ? 'There is no virtual cluster in it. Its members lose what the project gave them.'
          : `${rows.length === 1 ? 'The virtual cluster' : `All ${rows.length} virtual clusters`} in it, with everything inside, ${rows.length === 1 ? 'is' : 'are'} deleted first. This cannot be undone.`}
      </Text>
    </Confirm>
  );
}
