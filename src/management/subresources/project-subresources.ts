import type { JsonObject } from '@flotilla/json';
import { type Project, projectKind } from '../../api/management/v1/project.ts';
import { projectClustersKind } from '../../api/management/v1/subresources/project-clusters.ts';
import { projectMembersKind } from '../../api/management/v1/subresources/project-members.ts';
import { projectTemplatesKind } from '../../api/management/v1/subresources/project-templates.ts';
import type { KubeObject } from '../../api/meta.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { notFound } from '../../api/status.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { type InstanceRules, spaceRules, virtualClusterRules } from '../instances/instance-rules.ts';
import { projectAllowsCluster } from '../instances/placement.ts';
import { allowsTemplate } from '../instances/project-templates.ts';
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
    const forVirtualClusters = templatesOf(virtualClusterRules, project, state.templates());
    const forSpaces = templatesOf(spaceRules, project, state.spaceTemplates());
    return {
      ...(forVirtualClusters.default === undefined
        ? {}
        : { defaultVirtualClusterTemplate: forVirtualClusters.default }),
      virtualClusterTemplates: forVirtualClusters.templates,
      ...(forSpaces.default === undefined ? {} : { defaultSpaceTemplate: forSpaces.default }),
      spaceTemplates: forSpaces.templates,
    };
  });
}

/** Returns the allowed templates of a kind, sorted by name, and the default template if it is allowed. */
function templatesOf<Type extends KubeObject>(rules: InstanceRules, project: Project, all: Iterable<Type>) {
  const templates = sorted(all).filter((one) => allowsTemplate(project, rules.templateKind, one.metadata.name ?? ''));
  const name = rules.defaultTemplate(project);
  return { templates, default: templates.some((one) => one.metadata.name === name) ? name : undefined };
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
