import { flagAt, type JsonObject, textAt, valueAt } from '@flotilla/json';
import { nameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required } from '../../api/field-error.ts';
import { type Cluster, clusterKind } from '../../api/management/v1/cluster.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import { type Project, projectKind } from '../../api/management/v1/project.ts';
import { projectImportVirtualClusterKind } from '../../api/management/v1/project-import-virtual-cluster.ts';
import {
  type VirtualClusterInstanceSpec,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { importedAnnotation, managementGroup, projectNamespace, projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import {
  alreadyExists,
  alreadyExistsTerminating,
  conflict,
  forbidden,
  invalidObject,
  notFound,
  notImplemented,
  StatusError,
} from '../../api/status.ts';
import { virtualClusterKind } from '../../api/storage/virtual-cluster.ts';
import { callerOf, ownerOf } from '../../auth/authz/caller.ts';
import type { Host, HostedVirtualCluster } from '../../hosts/host.ts';
import { contextWithChanges, type RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { decodeDocument } from '../../registry/write/decode.ts';
import { acceptsVirtualClusters, projectAllowsCluster } from '../instances/placement.ts';
import { locationClaim } from '../resources/virtualclusterinstances.ts';
import { missingOwnerErrors, ownerErrors } from '../rules/owner-errors.ts';
import type { ManagementState } from '../state.ts';
import { computedObject } from './computed-object.ts';

export interface ImportOptions {
  readonly state: ManagementState;
  /** Returns the host of a connected cluster. `undefined` if this server has no access to it. */
  hostOf(cluster: string): Host | undefined;
  readonly instances: Pick<KindStore, 'byClaim' | 'verbs'>;
}

/** The virtual cluster to import, from the validated request body. */
interface Source {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly importName: string;
  readonly owner: Owner;
}

const kind = projectImportVirtualClusterKind;
const instanceResource = groupResourceOf(virtualClusterInstanceKind);
const requiredMembers = ['name', 'namespace', 'cluster'] as const;
const ownerField = 'sourceVirtualCluster.owner';

/**
 * POST `projects/<name>/importvirtualcluster`: creates an instance for an existing virtual cluster (completions §4).
 * Nothing changes on the host. The instance records the UID of the virtual cluster, so that it does not match another
 * virtual cluster that is created at the same location later.
 */
export function importVirtualCluster(options: ImportOptions): MountedSubresource {
  const { state, instances } = options;

  /** Throws 409 if the virtual cluster already has an instance. Names the instance only if the caller may see it. */
  async function rejectTaken(source: Source, context: RequestContext): Promise<void> {
    const { cluster, namespace, name } = source;
    const { metadata } = instances.byClaim(locationClaim(cluster, namespace, name))?.object ?? {};
    if (metadata === undefined) return;
    const holder = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
    const { group, plural } = virtualClusterInstanceKind;
    const isVisible = await context.may({ verb: 'get', group, resource: plural, ...holder });
    const which = isVisible
      ? `the instance ${holder.name} of the project ${projectOfNamespace(holder.namespace)}`
      : 'another instance';
    throw conflict(groupResourceOf(virtualClusterKind), name, `${which} already has this virtual cluster`);
  }

  return {
    kind,
    verbs: {
      async createNamed(context, projectName, sent, writeOptions) {
        const source = readSource(sent, context, state);
        const project = state.project(projectName);
        if (project === undefined) throw notFound(groupResourceOf(projectKind), projectName);
        const cluster = state.cluster(source.cluster);
        if (cluster === undefined) throw notFound(groupResourceOf(clusterKind), source.cluster);
        const found = await find(options.hostOf(source.cluster), source, context);
        await checkCluster(project, cluster, context);
        if (found === undefined) {
          throw notImplemented('virtual clusters cannot be imported: this server has no access to the cluster');
        }

        const instanceName = instanceNameOf(source);
        throwIfInvalid(sent, nameErrors('name', instanceName));
        await rejectTaken(source, context);
        const namespace = projectNamespace(projectName);
        const present = state.instance(namespace, instanceName);
        if (present !== undefined) {
          const nameTakenError =
            present.metadata.deletionTimestamp === undefined ? alreadyExists : alreadyExistsTerminating;
          throw nameTakenError(instanceResource, instanceName);
        }
        if (found.phase === 'Removing') {
          throw conflict(groupResourceOf(virtualClusterKind), source.name, 'the virtual cluster is being removed');
        }
        const wanted = instanceFor(source, found, sent, context);
        try {
          await instances.verbs.create(contextWithChanges(context, { system: true, namespace }), wanted, writeOptions);
        } catch (error) {
          // A concurrent import may have taken the virtual cluster after the check above. The error of `rejectTaken` is
          // then more useful than the error of the create.
          if (error instanceof StatusError && error.code === 409) await rejectTaken(source, context);
          throw error;
        }
        const created = `${namespace}/${instanceName}`;
        if (!writeOptions.dryRun) context.annotate?.(`${managementGroup}/instance`, created);
        return computedObject(kind, { ...sent.metadata, name: instanceName }, membersOf(sent));
      },
    },
  };
}

function instanceNameOf({ importName, name }: Source): string {
  return importName || name;
}

/** Validates the request body. Throws 422 with all errors at once. */
function readSource(sent: KubeObject, context: RequestContext, state: ManagementState): Source {
  const source = valueAt(sent, 'sourceVirtualCluster');
  const missing = requiredMembers.filter((member) => textAt(source, member) === '');
  const importName = textAt(source, 'importName');
  // An owner other than the caller must exist. The caller may be a subject without a User object.
  const [user, team] = [textAt(source, 'owner', 'user'), textAt(source, 'owner', 'team')];
  const owner = { ...(user === '' ? {} : { user }), ...(team === '' ? {} : { team }) };
  const namesOther = user !== context.user.name;
  throwIfInvalid(sent, [
    ...validateSchema(kind.schema, sent, ''),
    ...(source === undefined || source === null ? [required('sourceVirtualCluster')] : []),
    ...missing.map((member) => required(`sourceVirtualCluster.${member}`)),
    ...(importName === '' ? [] : nameErrors('importName', importName)),
    ...ownerErrors(owner, ownerField),
    ...(namesOther ? missingOwnerErrors(owner, ownerField, state) : []),
  ]);
  const [cluster, namespace, name] = [textAt(source, 'cluster'), textAt(source, 'namespace'), textAt(source, 'name')];
  return { cluster, namespace, name, importName, owner };
}

/**
 * Validates the name of the new instance. It can be the name of the virtual cluster, which is not always a valid name
 * for an instance.
 */
function nameErrors(member: 'name' | 'importName', name: string): FieldError[] {
  const faults = nameFaults(name, { nameRule: 'label' });
  return faults.map((fault) => invalid(`sourceVirtualCluster.${member}`, name, fault));
}

function throwIfInvalid(sent: KubeObject, errors: readonly FieldError[]): void {
  // Reports one error per field, because an empty value and a missing one are the same mistake.
  const distinct = errors.filter((error, index) => errors.findIndex((other) => other.field === error.field) === index);
  if (distinct.length > 0) throw invalidObject(kind, sent.metadata.name ?? '', distinct);
}

/**
 * Finds the virtual cluster on its host. `undefined` if there is no access to the host. Throws 404 if it does not
 * exist.
 */
async function find(
  host: Host | undefined,
  { namespace, name }: Source,
  { signal }: RequestContext,
): Promise<HostedVirtualCluster | undefined> {
  if (host === undefined) return undefined;
  const found = await host.observe({ namespace, name }, { signal });
  if (found === undefined) throw notFound(groupResourceOf(virtualClusterKind), name);
  return found;
}

async function checkCluster(project: Project, cluster: Cluster, context: RequestContext): Promise<void> {
  const [into, from] = [project.metadata.name ?? '', cluster.metadata.name ?? ''];
  const denied = (detail: string) => forbidden(groupResourceOf(projectKind), into, detail);
  if (!projectAllowsCluster(project, from)) throw denied(`the project ${into} does not allow the cluster ${from}`);
  const { group, plural } = clusterKind;
  if (!(await context.may({ verb: 'use', group, resource: plural, name: from }))) {
    throw denied(`you may not use the cluster ${from}`);
  }
  if (!acceptsVirtualClusters(cluster)) throw denied(`the cluster ${from} does not accept new virtual clusters`);
}

function ownerFor({ owner }: Source, { user }: RequestContext): Owner {
  const isGiven = owner.user !== undefined || owner.team !== undefined;
  return isGiven ? owner : ownerOf(callerOf(user));
}

function instanceFor(
  source: Source,
  found: HostedVirtualCluster,
  sent: KubeObject,
  context: RequestContext,
): KubeObject {
  const clusterRef = { cluster: source.cluster, namespace: source.namespace, virtualCluster: source.name };
  const external = flagAt(sent, 'skipHelmDeploy') ? { external: true } : {};
  const spec: VirtualClusterInstanceSpec = { owner: ownerFor(source, context), clusterRef, ...external };
  const body = { metadata: { name: instanceNameOf(source), annotations: { [importedAnnotation]: found.uid } }, spec };
  return decodeDocument(virtualClusterInstanceKind, body, { findings: [] }).object;
}

/** Returns the members of the request body except apiVersion, kind and metadata. */
function membersOf(sent: KubeObject): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...members } = sent;
  return members;
}
