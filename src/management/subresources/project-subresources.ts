import type { JsonObject } from '@flotilla/json';
import { type Project, projectKind } from '../../api/management/v1/project.ts';
import { projectClustersKind } from '../../api/management/v1/project-clusters.ts';
import { projectMembersKind } from '../../api/management/v1/project-members.ts';
import { projectTemplatesKind } from '../../api/management/v1/project-templates.ts';
import type { KubeObject } from '../../api/meta.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { notFound } from '../../api/status.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { projectAllowsCluster } from '../instances/placement.ts';
import { allowsTemplate, defaultTemplateOf } from '../instances/project-templates.ts';
import type { ManagementState } from '../state.ts';
import { computedObject } from './computed-object.ts';
import { describePrincipal } from './selves.ts';

export function projectMembers(state: ManagementState): MountedSubresource {
  const entries = (project: Project, kind: 'User' | 'Team'): JsonObject[] => {
    const roles = new Map<string, string[]>();
    for (const { kind: memberKind, name, clusterRole } of project.spec?.members ?? []) {
      if (memberKind === kind) roles.set(name, [...(roles.get(name) ?? []), clusterRole]);
    }
    const find = kind === 'User' ? state.user : state.team;
    return [...roles].map(([name, clusterRoles]) => {
      const info = describePrincipal(name, find(name));
      return { ...info, clusterRoles, info };
    });
  };
  return readOnly(projectMembersKind, state, (project) => ({
    users: entries(project, 'User'),
    teams: entries(project, 'Team'),
  }));
}

export function projectTemplates(state: ManagementState): MountedSubresource {
  return readOnly(projectTemplatesKind, state, (project) => {
    const templates = sorted(state.templates()).filter((one) => allowsTemplate(project, one.metadata.name ?? ''));
    const defaultTemplate = defaultTemplateOf(project);
    return {
      ...(templates.some((one) => one.metadata.name === defaultTemplate)
        ? { defaultVirtualClusterTemplate: defaultTemplate }
        : {}),
      virtualClusterTemplates: templates,
    };
  });
}

export function projectClusters(state: ManagementState): MountedSubresource {
  return readOnly(projectClustersKind, state, (project) => ({
    clusters: sorted(state.clusters()).filter((one) => projectAllowsCluster(project, one.metadata.name ?? '')),
  }));
}

function readOnly(
  kind: ResourceKind,
  state: ManagementState,
  membersOf: (project: Project) => JsonObject,
): MountedSubresource {
  return {
    kind,
    verbs: {
      async get(_context, name) {
        const project = state.project(name);
        if (project === undefined) throw notFound(groupResourceOf(projectKind), name);
        return computedObject(kind, { name }, membersOf(project));
      },
    },
  };
}

function sorted<Type extends KubeObject>(objects: Iterable<Type>): Type[] {
  const byName = (a: Type, b: Type) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
  return [...objects].sort(byName);
}
