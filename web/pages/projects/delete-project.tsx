import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { instancesText } from '../../data/format-text.ts';
import { kinds } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects/objects.ts';
import { loadedCount } from '../../data/rows/fleet-counts.ts';
import { useRows } from '../../data/rows/use-rows.ts';

export function DeleteProject({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const { name = '', uid } = project.metadata;
  const navigate = useNavigate();
  const namespace = projectNamespace(name);
  const clusters = loadedCount(useRows({ kind: kinds.instance, namespace }));
  const spaces = loadedCount(useRows({ kind: kinds.space, namespace }));
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
        await navigate({ to: '/projects' });
      }}
    >
      <Text size="sm">
        {clusters === 0 && spaces === 0
          ? 'The project contains no virtual clusters and no spaces. Its members lose their roles in the project.'
          : `Deletes ${instancesText(clusters, spaces)} of the project first, with all their data. This cannot be undone.`}
      </Text>
    </Confirm>
  );
}
