import type { JsonObject } from '@flotilla/json';
import { nameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required } from '../../api/field-error.ts';
import { type Cluster, clusterKind } from '../../api/management/v1/cluster.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import { type Project, projectKind } from '../../api/management/v1/project.ts';
import type { VirtualClusterInstanceSpec } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject, TypedObject } from '../../api/meta.ts';
import { importedAnnotation, managementGroup, projectNamespace, projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import {
  alreadyExists,
  alreadyExistsTerminating,
  conflict,
  forbidden,
  type GroupResource,
  invalidObject,
  notFound,
  notImplemented,
  StatusError,
} from '../../api/status.ts';
import { callerOf, ownerOf } from '../../auth/authz/caller.ts';
import type { Host, HostedVirtualCluster, HostLocation, InstanceDriver } from '../../hosts/host.ts';
import { contextWithChanges, type RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { decodeDocument } from '../../registry/write/decode.ts';
import { mayAccessHosts } from '../host-access.ts';
import { locationClaim } from '../instances/instance-hooks.ts';
import type { InstanceRules } from '../instances/instance-rules.ts';
import { acceptsInstances, isReadOnly, projectAllowsCluster, readOnlyDetail } from '../instances/placement.ts';
import { missingOwnerErrors, ownerErrors } from '../rules/owner-errors.ts';
import type { ManagementState } from '../state.ts';
import { computedObject } from './computed-object.ts';
import { type RequestBody, readRequestBody } from './request-body.ts';

export interface ImportOptions {
  readonly state: ManagementState;
  /** Returns the host of a connected cluster. `undefined` if this server has no access to it. */
  hostOf(cluster: string): Host | undefined;
  readonly instances: Pick<KindStore, 'byClaim' | 'verbs'>;
}

/** The virtual cluster or namespace to import, from the validated request body. */
export interface ImportSource {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly importName: string;
  readonly owner: Owner;
}

/** The source as the request body describes it, before validation. */
export type SentSource = Partial<Omit<ImportSource, 'owner'>> & { readonly owner?: Owner };

/** The rules in which the imports of virtual clusters and of spaces differ. */
export interface ImportRules<Fields extends JsonObject> {
  readonly kind: ResourceKind<Fields>;
  /** The member of the request body that describes the source. */
  readonly sourceField: string & keyof Fields;
  /** Returns the import source in the request body. `undefined` if the body contains no source. */
  sourceIn(body: TypedObject<Fields>): SentSource | undefined;
  readonly requiredMembers: readonly ('name' | 'namespace' | 'cluster')[];
  readonly instances: InstanceRules;
  /** The resource of the source on its host, for messages. */
  readonly sourceResource: GroupResource;
  /** True if an import gives permissions on the host, so the caller must have the permission to act on hosts. */
  readonly actsOnHost?: boolean;
  driverOf(host: Host): InstanceDriver;
  locationOf(source: ImportSource): HostLocation;
  /** Returns the spec of the new instance, without its owner. If there is no body, returns only the location. */
  specOf(source: ImportSource, body?: TypedObject<Fields>): VirtualClusterInstanceSpec;
  /** Throws if this source cannot be imported. Optional. */
  checkSource?(source: ImportSource, found: HostedVirtualCluster, state: ManagementState): void;
}

/**
 * Creates an instance for an existing virtual cluster or namespace (completions §4, §12). The instance records the UID,
 * so that it does not refer to another virtual cluster or namespace that is later created at the same location.
 */
export function importInstance<Fields extends JsonObject>(
  rules: ImportRules<Fields>,
  options: ImportOptions,
): MountedSubresource {
  const { state, instances } = options;
  const { kind, sourceResource } = rules;
  const { kind: instanceKind, noun, locationFields } = rules.instances;

  /** Throws 409 if the source already has an instance. The error names the instance only if the caller may see it. */
  async function rejectTaken(source: ImportSource, context: RequestContext): Promise<void> {
    const clusterRef = rules.specOf(source).clusterRef ?? {};
    const claim = locationClaim(locationFields.map((field) => clusterRef[field] ?? ''));
    const { metadata } = instances.byClaim(claim)?.object ?? {};
    if (metadata === undefined) return;
    const holder = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
    const { group, plural } = instanceKind;
    const isVisible = await context.may({ verb: 'get', group, resource: plural, ...holder });
    const which = isVisible
      ? `the instance ${holder.name} of the project ${projectOfNamespace(holder.namespace)}`
      : 'another instance';
    throw conflict(sourceResource, source.name, `${which} already has this ${noun}`);
  }

  return {
    kind,
    verbs: {
      async createNamed(context, projectName, sent, writeOptions) {
        const request = readRequestBody(kind, sent);
        const { body } = request;
        const source = readSource(rules, request, context, state);
        const project = state.project(projectName);
        if (project === undefined) throw notFound(groupResourceOf(projectKind), projectName);
        const cluster = state.cluster(source.cluster);
        if (cluster === undefined) throw notFound(groupResourceOf(clusterKind), source.cluster);
        const found = await find(rules, options.hostOf(source.cluster), source, context);
        await checkCluster(project, cluster, context, noun);
        if (rules.actsOnHost === true && !(await mayAccessHosts(projectKind, projectName, context))) {
          const detail = `importing a ${noun} requires the permission hostaccess in the project ${projectName}`;
          throw forbidden(groupResourceOf(projectKind), projectName, detail);
        }
        if (found === undefined) {
          throw notImplemented(`${noun}s cannot be imported: this server has no access to the cluster`);
        }

        const instanceName = instanceNameOf(source);
        throwIfInvalid(kind, sent, nameErrors(`${rules.sourceField}.name`, instanceName));
        await rejectTaken(source, context);
        const namespace = projectNamespace(projectName);
        const present = rules.instances.find(state, namespace, instanceName);
        if (present !== undefined) {
          const nameTakenError =
            present.metadata.deletionTimestamp === undefined ? alreadyExists : alreadyExistsTerminating;
          throw nameTakenError(groupResourceOf(instanceKind), instanceName);
        }
        if (found.phase === 'Removing') {
          throw conflict(sourceResource, source.name, `the ${noun} is being removed`);
        }
        await state.caughtUp();
        rules.checkSource?.(source, found, state);
        const wanted = instanceFor(rules, source, { found, body, context });
        try {
          await instances.verbs.create(contextWithChanges(context, { system: true, namespace }), wanted, writeOptions);
        } catch (error) {
          // A concurrent import may have taken the source after the check above. The error of `rejectTaken` is then
          // more useful than the error of the create.
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

function instanceNameOf({ importName, name }: ImportSource): string {
  return importName || name;
}

/** Validates the request body. Throws 422 with all errors at once. */
function readSource<Fields extends JsonObject>(
  { kind, sourceField, requiredMembers, sourceIn }: ImportRules<Fields>,
  { body, errors }: RequestBody<Fields>,
  context: RequestContext,
  state: ManagementState,
): ImportSource {
  const source = sourceIn(body);
  const { cluster = '', namespace = '', name = '', importName = '' } = source ?? {};
  const missing = requiredMembers.filter((member) => (source?.[member] ?? '') === '');
  // An owner other than the caller must exist. The caller may be a subject without a User object.
  const { user = '', team = '' } = source?.owner ?? {};
  const owner = { ...(user === '' ? {} : { user }), ...(team === '' ? {} : { team }) };
  const namesOther = user !== context.user.name;
  const ownerField = `${sourceField}.owner`;
  throwIfInvalid(kind, body, [
    ...errors,
    ...(source === undefined ? [required(sourceField)] : []),
    ...missing.map((member) => required(`${sourceField}.${member}`)),
    ...(importName === '' ? [] : nameErrors(`${sourceField}.importName`, importName)),
    ...ownerErrors(owner, ownerField),
    ...(namesOther ? missingOwnerErrors(owner, ownerField, state) : []),
  ]);
  return { cluster, namespace, name, importName, owner };
}

/**
 * Validates the name of the new instance. This name can be that of the source, which is not always valid for an
 * instance.
 */
function nameErrors(field: string, name: string): FieldError[] {
  const faults = nameFaults(name, { nameRule: 'label' });
  return faults.map((fault) => invalid(field, name, fault));
}

function throwIfInvalid(kind: ResourceKind, sent: KubeObject, errors: readonly FieldError[]): void {
  // Only the first error of each field is reported, because an empty value would otherwise be reported twice: as empty
  // and as missing.
  const distinct = errors.filter((error, index) => errors.findIndex((other) => other.field === error.field) === index);
  if (distinct.length > 0) throw invalidObject(kind, sent.metadata.name ?? '', distinct);
}

/**
 * Finds the source on its host. `undefined` if there is no access to the host. Throws 404 if the source does not exist.
 */
async function find(
  rules: Pick<ImportRules<JsonObject>, 'driverOf' | 'locationOf' | 'sourceResource'>,
  host: Host | undefined,
  source: ImportSource,
  { signal }: RequestContext,
): Promise<HostedVirtualCluster | undefined> {
  if (host === undefined) return undefined;
  const found = await rules.driverOf(host).observe(rules.locationOf(source), { signal });
  if (found === undefined) throw notFound(rules.sourceResource, source.name);
  return found;
}

async function checkCluster(project: Project, cluster: Cluster, context: RequestContext, noun: string): Promise<void> {
  const [into, from] = [project.metadata.name ?? '', cluster.metadata.name ?? ''];
  const denied = (detail: string) => forbidden(groupResourceOf(projectKind), into, detail);
  if (!projectAllowsCluster(project, from)) throw denied(`the project ${into} does not allow the cluster ${from}`);
  const { group, plural } = clusterKind;
  if (!(await context.may({ verb: 'use', group, resource: plural, name: from }))) {
    throw denied(`you may not use the cluster ${from}`);
  }
  if (!acceptsInstances(cluster)) throw denied(`the cluster ${from} does not accept new ${noun}s`);
  // Importing a namespace as a space writes to the namespace. A read-only cluster does not permit this.
  if (noun === 'space' && isReadOnly(cluster)) throw denied(readOnlyDetail(from, noun));
}

function ownerFor({ owner }: ImportSource, { user }: RequestContext): Owner {
  const isGiven = owner.user !== undefined || owner.team !== undefined;
  return isGiven ? owner : ownerOf(callerOf(user));
}

interface FoundSource<Fields extends JsonObject> {
  readonly found: HostedVirtualCluster;
  readonly body: TypedObject<Fields>;
  readonly context: RequestContext;
}

function instanceFor<Fields extends JsonObject>(
  rules: ImportRules<Fields>,
  source: ImportSource,
  { found, body, context }: FoundSource<Fields>,
): KubeObject {
  const spec = { owner: ownerFor(source, context), ...rules.specOf(source, body) };
  const document = {
    metadata: { name: instanceNameOf(source), annotations: { [importedAnnotation]: found.uid } },
    spec,
  };
  const instanceKind: ResourceKind = rules.instances.kind;
  return decodeDocument(instanceKind, document, { findings: [] }).object;
}

/** Returns the members of the request body except apiVersion, kind and metadata. */
function membersOf(sent: KubeObject): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...members } = sent;
  return members;
}
