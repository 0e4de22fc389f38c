import { Text } from '@mantine/core';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects/objects.ts';
import { loadedCount } from '../../data/rows/fleet-counts.ts';
import { useRows } from '../../data/rows/use-rows.ts';

export function DeleteProject({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const { name = '', uid } = project.metadata;
  const count = loadedCount(useRows({ kind: kinds.instance, namespace: projectNamespace(name) }));
  return (
    <Confirm
      title={`Delete project ${name}?`}
      action={`Delete ${name}`}
      confirmationText={name}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kinds.project, { name }, { uid });
        notify.done(`Deleting project ${name}`);
      }}
    >
      <Text size="sm">
        {count === 0
          ? 'The project contains no virtual clusters. Its members lose their roles in the project.'
          : `${insideOf(count)} deleted first. This cannot be undone.`}
      </Text>
    </Confirm>
  );
}

function insideOf(count: number | undefined): string {
  if (count === 1) return 'Its virtual cluster and all data in it are';
  const all = count === undefined ? 'Its virtual clusters' : `Its ${count} virtual clusters`;
  return `${all} and all data in them are`;
}
