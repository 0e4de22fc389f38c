import { kubernetesMastersGroup } from '../api/naming.ts';
import type { Decision, ResourceAttributes } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import { virtualClient } from '../hosts/virtual-client.ts';
import { flagAt, textAt } from '../lib/json-path.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { Inside } from './inside.ts';
import { type PassOnOptions, passOn } from './pass-on.ts';

export interface RemoteClusterOptions extends PassOnOptions {
  /** Tells that nobody waits for the answer any more. */
  ending(): AbortSignal;
}

const itSays: Decision = { allowed: true, reason: 'the cluster decides' };

/**
 * A cluster that is elsewhere. It decides itself about what it is asked to do, in the name of whoever asks. Only whether
 * somebody may act as another has to be known before, as that one's name is the one it hears.
 */
export function remoteCluster(options: RemoteClusterOptions): Inside {
  return {
    serve: passOn(options),
    async authorize(identity, attributes) {
      if (!attributes.resourceRequest || attributes.verb !== 'impersonate') return itSays;
      return await mayImpersonate(options, identity, attributes);
    },
  };
}

async function mayImpersonate(
  { api, ending }: RemoteClusterOptions,
  { user }: Identity,
  { verb, group, version, resource, subresource, namespace, name }: ResourceAttributes,
): Promise<Decision> {
  if (user.groups.includes(kubernetesMastersGroup)) return { allowed: true, reason: '' };
  const review = await virtualClient(api, ending()).create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: user.name,
      groups: [...user.groups],
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      ...(user.extra === undefined ? {} : { extra: user.extra as unknown as JsonObject }),
      resourceAttributes: { verb, group, version, resource, subresource, namespace, name },
    },
  });
  return { allowed: flagAt(review, 'status', 'allowed'), reason: textAt(review, 'status', 'reason') };
}
