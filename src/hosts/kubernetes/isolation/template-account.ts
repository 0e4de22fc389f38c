import type { JsonObject } from '@flotilla/json';
import { StatusError } from '../../../api/status.ts';
import type { UserInfo } from '../../../api/user-info.ts';
import { wait } from '../../../lib/wait.ts';
import { ApplyError } from '../../apply-objects.ts';
import type { ClusterApi } from '../../host.ts';
import { createVirtualClusterClient, type VirtualClusterClient } from '../../virtual-cluster-client.ts';
import type { HostContext } from '../release/host-context.ts';

/**
 * The name of the service account that applies the objects of templates. Its role and its role binding have the same
 * name.
 */
const accountName = 'flotilla-template';

/**
 * The maximum number of checks whether a new role binding is in effect. Kubernetes applies a binding in much less than
 * a second.
 */
const maxChecks = 50;
const checkDelayMs = 100;

/**
 * Creates a service account in the namespace. The account may write only the allowed resources, and only in this
 * namespace. Returns the API of the host for requests as that account. Rejects with ApplyError if the server may not
 * create or impersonate the account.
 */
export async function openTemplateAccount(
  work: HostContext,
  namespace: string,
  allowedResources: readonly string[],
  signal: AbortSignal,
): Promise<ClusterApi> {
  const account: UserInfo = {
    name: `system:serviceaccount:${namespace}:${accountName}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
  const api: ClusterApi = { send: (request) => work.callerApi.send({ ...request, as: account }) };
  try {
    await createAccount(createVirtualClusterClient(work.ownApi, signal), namespace, allowedResources);
    await untilBound(work, api, { namespace, resource: allowedResources[0] ?? '' }, signal);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code >= 500) throw error;
    throw new ApplyError(`the service account that applies them cannot be created or used: ${error.message}`);
  }
  return api;
}

async function createAccount(
  own: VirtualClusterClient,
  namespace: string,
  allowedResources: readonly string[],
): Promise<void> {
  const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  await own.apply(`/api/v1/namespaces/${namespace}/serviceaccounts/${accountName}`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: accountName },
    automountServiceAccountToken: false,
  });
  await own.apply(`${roles}/roles/${accountName}`, roleOf(allowedResources));
  await own.apply(`${roles}/rolebindings/${accountName}`, bindingIn(namespace));
}

function roleOf(allowedResources: readonly string[]): JsonObject {
  const rules = allowedResources.map((name) => {
    const { resource, group } = splitResource(name);
    return { apiGroups: [group], resources: [resource], verbs: ['get', 'create', 'update', 'patch'] };
  });
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: accountName }, rules };
}

function bindingIn(namespace: string): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: accountName },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: accountName },
    subjects: [{ kind: 'ServiceAccount', name: accountName, namespace }],
  };
}

/** Splits `networkpolicies.networking.k8s.io` into resource and group. */
function splitResource(name: string): { readonly resource: string; readonly group: string } {
  const dot = name.indexOf('.');
  return dot < 0 ? { resource: name, group: '' } : { resource: name.slice(0, dot), group: name.slice(dot + 1) };
}

/** Waits until the host applies the binding. The authorizer of Kubernetes uses a cache that is updated a moment later. */
async function untilBound(
  { clock }: HostContext,
  api: ClusterApi,
  where: { readonly namespace: string; readonly resource: string },
  signal: AbortSignal,
): Promise<void> {
  const { resource, group } = splitResource(where.resource);
  const resourceAttributes = { namespace: where.namespace, verb: 'patch', resource, group };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  const client = createVirtualClusterClient(api, signal);
  for (let check = 0; check < maxChecks && !signal.aborted; check++) {
    const { status } = await client.create('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review);
    if ((status as JsonObject | undefined)?.allowed === true) return;
    await wait(clock, checkDelayMs, signal);
  }
}
