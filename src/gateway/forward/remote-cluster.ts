import { flagAt, type JsonObject, textAt } from '@flotilla/json';
import { kubernetesMastersGroup } from '../../api/naming.ts';
import type { Decision, ResourceAttributes } from '../../auth/authz/attributes.ts';
import type { Identity } from '../../auth/identity.ts';
import { createVirtualClusterClient } from '../../hosts/virtual-cluster-client.ts';
import type { GatewayTarget } from '../gateway-target.ts';
import { type ForwardRequestsOptions, forwardRequests } from './forward-requests.ts';

export interface RemoteClusterOptions extends ForwardRequestsOptions {
  /** Returns a signal that fires when the client no longer waits for the response. */
  abortSignal(): AbortSignal;
}

const authorizedRemotely: Decision = { allowed: true, reason: 'the remote cluster authorizes the request' };

/**
 * A remote cluster as a gateway target. The cluster authorizes each request itself, because requests are sent under the
 * caller's name. This server checks only impersonation, because the cluster sees just the impersonated name.
 */
export function remoteCluster(options: RemoteClusterOptions): GatewayTarget {
  return {
    serve: forwardRequests(options),
    async authorize(identity, attributes) {
      if (!attributes.resourceRequest || attributes.verb !== 'impersonate') return authorizedRemotely;
      return await mayImpersonate(options, identity, attributes);
    },
  };
}

async function mayImpersonate(
  { api, abortSignal }: RemoteClusterOptions,
  { user }: Identity,
  { verb, group, version, resource, subresource, namespace, name }: ResourceAttributes,
): Promise<Decision> {
  if (user.groups.includes(kubernetesMastersGroup)) return { allowed: true, reason: '' };
  const review = await createVirtualClusterClient(api, abortSignal()).create(
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: user.name,
        groups: [...user.groups],
        ...(user.uid === undefined ? {} : { uid: user.uid }),
        ...(user.extra === undefined ? {} : { extra: user.extra as unknown as JsonObject }),
        resourceAttributes: { verb, group, version, resource, subresource, namespace, name },
      },
    },
  );
  return { allowed: flagAt(review, 'status', 'allowed'), reason: textAt(review, 'status', 'reason') };
}
