import { NativeSelect, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ClusterVirtualClusters } from '../../../src/api/management/v1/subresources/cluster-virtual-clusters.ts';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { defaultProject } from '../../../src/api/naming.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { postSubresource } from '../../data/objects/objects.ts';
import { usePermissions } from '../../data/permissions.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { useSelf } from '../../data/session/use-self.ts';
import { isAllowed, readAllowList } from '../projects/allow-list.ts';
import { projectSpec } from '../projects/project-spec.ts';

/** A virtual cluster on a connected cluster that can be imported into a project. */
export type ImportableCluster = ClusterVirtualClusters['virtualClusters'][number];

export interface ImportDialogProps {
  readonly cluster: string;
  readonly found: ImportableCluster;
  onClose(): void;
}

/** A dialog that imports an existing virtual cluster into a project. */
export function ImportDialog({ cluster, found, onClose }: ImportDialogProps) {
  const projects = useImportProjects(cluster);
  const [chosen, setChosen] = useState<string>();
  const [importName, setImportName] = useState(found.name);
  const [staysManaged, setStaysManaged] = useState(false);
  const project = chosen ?? (projects?.includes(defaultProject) === true ? defaultProject : projects?.[0]);

  async function send(): Promise<void> {
    if (project === undefined) return;
    await postSubresource(kinds.project, { name: project }, 'importvirtualcluster', {
      apiVersion: apiVersionOf(kinds.project),
      kind: 'ProjectImportVirtualCluster',
      sourceVirtualCluster: {
        cluster,
        namespace: found.namespace,
        name: found.name,
        ...(importName.trim() === '' ? {} : { importName: importName.trim() }),
      },
      ...(staysManaged ? { skipHelmDeploy: true } : {}),
    });
    notify.done(`Imported ${importName.trim() || found.name} into project ${project}`);
  }

  return (
    <FormDialog
      title={`Import ${found.name}`}
      action="Import"
      canSend={project !== undefined}
      onSend={send}
      onClose={onClose}
    >
      {(error) => {
        const problem = fieldProblems(error);
        if (projects === undefined) return <LoadingIndicator message="Loading projects" />;
        if (project === undefined) {
          return (
            <Text>
              You can import this virtual cluster only into a project that allows cluster {cluster}. None of your
              projects does. First allow the cluster on the “Clusters and templates” tab of a project.
            </Text>
          );
        }
        return (
          <>
            <NativeSelect
              label="Project"
              value={project}
              onChange={(event) => setChosen(event.currentTarget.value)}
              data={[...projects]}
              data-autofocus
            />
            <TextInput
              label="Name"
              description="The name of the virtual cluster in the project."
              value={importName}
              onChange={(event) => setImportName(event.currentTarget.value)}
              error={problem('sourceVirtualCluster.importName') ?? problem('sourceVirtualCluster.name')}
              autoComplete="off"
              spellCheck={false}
            />
            <Switch
              label="Keep the existing installation"
              description="Flotilla never installs, upgrades or removes the virtual cluster, not even if you delete it in Flotilla."
              checked={staysManaged}
              onChange={(event) => setStaysManaged(event.currentTarget.checked)}
            />
          </>
        );
      }}
    </FormDialog>
  );
}

/**
 * Returns the projects into which virtual clusters of this cluster can be imported; `undefined` until they are known.
 */
function useImportProjects(cluster: string): readonly string[] | undefined {
  const { rows, state } = useRows({ kind: kinds.project, objects: true });
  const { isAdmin } = useSelf();
  const allowing = rows.flatMap(({ object, metadata: { name = '' } }) =>
    isAllowed(readAllowList(projectSpec(object).allowedClusters), cluster) ? [name] : [],
  );
  // Administrators may import into all projects. For other users each project is checked, which is cheap because they
  // have few projects.
  const checked = isAdmin ? [] : allowing;
  const may = usePermissions(
    checked.map((name) => ({ verb: 'create', kind: kinds.project, name, subresource: 'importvirtualcluster' })),
  );
  if (state === 'loading' || may.some(({ known }) => !known)) return undefined;
  return isAdmin ? allowing : allowing.filter((_, index) => may[index]?.allowed === true);
}
