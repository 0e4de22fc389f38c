import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ProjectClusters } from '../../../../src/api/management/v1/project-clusters.ts';
import type { ProjectTemplates } from '../../../../src/api/management/v1/project-templates.ts';
import type { KubeObject } from '../../../../src/api/meta.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { subresourceQuery } from '../../../data/query-object.ts';

/** The templates and clusters that a project offers for new instances. */
export interface ProjectOffer {
  readonly isKnown: boolean;
  readonly templates: readonly KubeObject[];
  /** '' if the project has no default. */
  readonly defaultTemplate: string;
  readonly clusters: readonly KubeObject[];
  readonly error: unknown;
  retry(): void;
}

export function useProjectOffer(project: string): ProjectOffer {
  const enabled = project !== '';
  const key = { name: project };
  const templates = useQuery({
    ...subresourceQuery<ProjectTemplates>(kinds.project, key, 'templates'),
    enabled,
  });
  const clusters = useQuery({ ...subresourceQuery<ProjectClusters>(kinds.project, key, 'clusters'), enabled });
  return useMemo(
    () => ({
      isKnown: templates.data !== undefined && clusters.data !== undefined,
      templates: (templates.data?.virtualClusterTemplates ?? []) as unknown as readonly KubeObject[],
      defaultTemplate: templates.data?.defaultVirtualClusterTemplate ?? '',
      clusters: (clusters.data?.clusters ?? []) as unknown as readonly KubeObject[],
      error: templates.error ?? clusters.error ?? undefined,
      retry: () => void Promise.all([templates.refetch(), clusters.refetch()]),
    }),
    [templates, clusters],
  );
}
