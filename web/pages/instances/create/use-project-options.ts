import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Cluster } from '../../../../src/api/management/v1/cluster.ts';
import type { SpaceTemplate } from '../../../../src/api/management/v1/space-template.ts';
import type { ProjectClusters } from '../../../../src/api/management/v1/subresources/project-clusters.ts';
import type { ProjectTemplates } from '../../../../src/api/management/v1/subresources/project-templates.ts';
import type { VirtualClusterTemplate } from '../../../../src/api/management/v1/virtual-cluster-template.ts';
import { type InstanceType, spaceType } from '../../../data/instance-types.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { subresourceQuery } from '../../../data/objects/subresource-query.ts';
import type { Template } from '../../../data/template-types.ts';

/** The server's response with TypeScript types for its templates, which the API schema describes only as JSON. */
type OfferedTemplates = Omit<ProjectTemplates, 'virtualClusterTemplates' | 'spaceTemplates'> & {
  readonly virtualClusterTemplates: readonly VirtualClusterTemplate[];
  readonly spaceTemplates: readonly SpaceTemplate[];
};
type OfferedClusters = Omit<ProjectClusters, 'clusters'> & { readonly clusters: readonly Cluster[] };

/** The templates and clusters that a project offers for new instances. */
export interface ProjectOptions {
  readonly isKnown: boolean;
  readonly templates: readonly Template[];
  /** The name of the default template; '' if the project has none. */
  readonly defaultTemplate: string;
  readonly clusters: readonly Cluster[];
  readonly error: unknown;
  retry(): void;
}

export function useProjectOptions(type: InstanceType, project: string): ProjectOptions {
  const enabled = project !== '';
  const key = { name: project };
  const templates = useQuery({
    ...subresourceQuery<OfferedTemplates>(kinds.project, key, 'templates'),
    enabled,
  });
  const clusters = useQuery({ ...subresourceQuery<OfferedClusters>(kinds.project, key, 'clusters'), enabled });
  return useMemo(
    () => ({
      isKnown: templates.data !== undefined && clusters.data !== undefined,
      ...offeredTemplates(type, templates.data),
      clusters: clusters.data?.clusters ?? [],
      error: templates.error ?? clusters.error ?? undefined,
      retry: () => void Promise.all([templates.refetch(), clusters.refetch()]),
    }),
    [type, templates, clusters],
  );
}

function offeredTemplates(
  type: InstanceType,
  offered: OfferedTemplates | undefined,
): Pick<ProjectOptions, 'templates' | 'defaultTemplate'> {
  return type === spaceType
    ? { templates: offered?.spaceTemplates ?? [], defaultTemplate: offered?.defaultSpaceTemplate ?? '' }
    : {
        templates: offered?.virtualClusterTemplates ?? [],
        defaultTemplate: offered?.defaultVirtualClusterTemplate ?? '',
      };
}
