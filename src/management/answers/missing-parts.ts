import { type FieldError, invalid, required } from '../../api/field-error.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { clusterAccessKeyKind } from '../../api/management/v1/cluster-access-key.ts';
import { clusterVirtualClustersKind } from '../../api/management/v1/cluster-virtual-clusters.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { projectImportVirtualClusterKind } from '../../api/management/v1/project-import-virtual-cluster.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterInstanceKubeConfigKind } from '../../api/management/v1/virtual-cluster-instance-kube-config.ts';
import type { KubeObject } from '../../api/meta.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { forbidden, invalidObject, notFound } from '../../api/status.ts';
import { numberAt, textAt, valueAt } from '../../lib/json-path.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { allowsCluster } from '../placement.ts';
import type { ManagementState } from '../state.ts';

/*
 * Parts that need a running host. This server answers 501 for them, but not before it has checked what it was sent:
 * a client finds its own mistakes first.
 */

function refuse(kind: ResourceKind, object: KubeObject | undefined, errors: readonly FieldError[]): void {
  const all = [...(object === undefined ? [] : validateSchema(kind.schema, object, '')), ...errors];
  // An empty value and a missing one are the same mistake; it is told once.
  const distinct = all.filter((error, index) => all.findIndex((other) => other.field === error.field) === index);
  if (distinct.length > 0) throw invalidObject(kind, object?.metadata.name ?? '', distinct);
}

function instanceMustExist(state: ManagementState, namespace: string, name: string): void {
  if (projectOfNamespace(namespace) !== undefined && state.instance(namespace, name) !== undefined) return;
  throw notFound(groupResourceOf(virtualClusterInstanceKind), name);
}

function clusterMustExist(state: ManagementState, name: string): void {
  if (state.cluster(name) === undefined) throw notFound(groupResourceOf(clusterKind), name);
}

export function instanceKubeConfig(state: ManagementState): MountedSubresource {
  return {
    kind: virtualClusterInstanceKubeConfigKind,
    verbs: {},
    missing: 'kubeconfigs of virtual clusters are not available: this server does not run virtual clusters',
    missingCheck(context, name, object) {
      const ttl = numberAt(object, 'spec', 'certificateTTL');
      const path = 'spec.certificateTTL';
      const errors = ttl !== undefined && ttl <= 0 ? [invalid(path, ttl, 'must be greater than 0')] : [];
      instanceMustExist(state, context.namespace, name);
      refuse(virtualClusterInstanceKubeConfigKind, object, errors);
    },
  };
}

export function instanceLog(state: ManagementState): MountedSubresource {
  return {
    kind: virtualClusterInstanceKind,
    verbs: {},
    missing: 'logs of virtual clusters are not available: this server does not run virtual clusters',
    missingCheck: (context, name) => instanceMustExist(state, context.namespace, name),
  };
}

const requiredSource = ['name', 'namespace', 'cluster'] as const;

export function importVirtualCluster(state: ManagementState): MountedSubresource {
  const kind = projectImportVirtualClusterKind;
  return {
    kind,
    verbs: {},
    missing: 'importing is not available: this server cannot look into its connected clusters',
    async missingCheck(context, name, object) {
      const source = valueAt(object, 'sourceVirtualCluster');
      const missing = requiredSource.filter((member) => textAt(source, member) === '');
      const isThere = source !== undefined && source !== null;
      const named = missing.map((member) => required(`sourceVirtualCluster.${member}`));
      refuse(kind, object, [...(isThere ? [] : [required('sourceVirtualCluster')]), ...named]);
      const project = state.project(name);
      if (project === undefined) throw notFound(groupResourceOf(projectKind), name);
      const cluster = textAt(source, 'cluster');
      clusterMustExist(state, cluster);
      if (!allowsCluster(project, cluster)) {
        const detail = `the project ${name} does not allow the cluster ${cluster}`;
        throw forbidden(groupResourceOf(projectKind), name, detail);
      }
      const { group, plural } = clusterKind;
      if (!(await context.may({ verb: 'use', group, resource: plural, name: cluster }))) {
        throw forbidden(groupResourceOf(projectKind), name, `you may not use the cluster ${cluster}`);
      }
    },
  };
}

export function clusterVirtualClusters(state: ManagementState): MountedSubresource {
  return {
    kind: clusterVirtualClustersKind,
    verbs: {},
    missing: 'virtual clusters cannot be listed: this server cannot look into its connected clusters',
    missingCheck: (_context, name) => clusterMustExist(state, name),
  };
}

export function clusterAccessKey(state: ManagementState): MountedSubresource {
  return {
    kind: clusterAccessKeyKind,
    verbs: {},
    missing: 'keys for agents are not available: this server has no agents',
    missingCheck: (_context, name) => clusterMustExist(state, name),
  };
}
