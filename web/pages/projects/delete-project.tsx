import { Text } from '@mantine/core';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { Confirm } from '../../components/confirm.tsx';
import { notify } from '../../components/notices.tsx';
import { knownCount } from '../../data/fleet-counts.ts';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects.ts';
import { useRows } from '../../data/use-rows.ts';

export function DeleteProject({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const { name = '', uid } = project.metadata;
  const count = knownCount(useRows({ kind: kinds.instance, namespace: projectNamespace(name) }));
  return (
    <Confirm
      title={`Delete project ${name}?`}
      action={`Delete ${name}`}
      typed={name}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteObject(kinds.project, { name }, { uid });
        notify.done(`Deleting project ${name}`);
      }}
    >
      <Text size="sm">
        {count === 0
          ? 'The project contains no virtual clusters. Its members lose the roles that it gave them.'
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
