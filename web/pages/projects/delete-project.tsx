import { Text } from '@mantine/core';
import type { KubeObject } from '../../../src/api/meta.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { Confirm } from '../../components/confirm.tsx';
import { notify } from '../../components/notices.tsx';
import { knownCount } from '../../data/fleet-counts.ts';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects.ts';
import { useRows } from '../../data/use-rows.ts';

export function DeleteProject({ project, onClose }: { readonly project: KubeObject; readonly onClose: () => void }) {
  const { name = '', uid } = project.metadata;
  const count = knownCount(useRows({ kind: kinds.instance, namespace: projectNamespace(name) }));
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
        {count === 0
          ? 'There is no virtual cluster in it. Its members lose what the project gave them.'
          : `${insideOf(count)} deleted first. This cannot be undone.`}
      </Text>
    </Confirm>
  );
}

function insideOf(count: number | undefined): string {
  if (count === 1) return 'The virtual cluster in it, with everything inside, is';
  const all = count === undefined ? 'All virtual clusters' : `All ${count} virtual clusters`;
  return `${all} in it, with everything inside, are`;
}
