import { hash } from 'node:crypto';
import type { JsonObject } from '@flotilla/json';
import type { AgentAnnouncement } from '../../api/agent/policy-feed.ts';
import { writeKubeconfig } from '../../api/kubeconfig.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { agentAnnouncementDigestAnnotation, agentHostAnnotation } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { notFound } from '../../api/status.ts';
import type { ControlPlane } from '../../controlplane/control-plane.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import { storeOf } from '../../registry/kind-stores.ts';
import { tunnelOrigin } from '../tunnels/tunnel-origin.ts';

export interface AnnouncementHandlerOptions {
  readonly plane: Pick<ControlPlane, 'kinds' | 'freshRevision'>;
  readonly apiPrefix: string;
}

/**
 * Stores the address that an agent announces. Clients use the address as the direct endpoint of the cluster. If the
 * cluster is reachable only through its agent, the server also stores a kubeconfig with this address and the agent's
 * credential. Agents announce themselves on every connect. An unchanged announcement is not written, because a new
 * kubeconfig closes all existing connections.
 */
export function createAnnouncementHandler({ plane, apiPrefix }: AnnouncementHandlerOptions) {
  const clusters = storeOf(plane.kinds, clusterKind);
  return async (name: string, announcement: AgentAnnouncement): Promise<void> => {
    // Another replica may have stored the same announcement a moment ago.
    await plane.freshRevision?.();
    const cluster = clusters.peek('', name)?.object;
    if (cluster === undefined || clusters.verbs.patch === undefined) throw notFound(groupResourceOf(clusterKind), name);
    const { url, authority, credential, isTunneled = false, host } = announcement;
    const isPeer = cluster.spec?.networkPeer === true;
    // The digest does not reveal the credential, because the credential is long and random.
    const digest = hash('sha256', JSON.stringify([isPeer, url, authority, credential, isTunneled, host]), 'base64url');
    if (cluster.metadata.annotations?.[agentAnnouncementDigestAnnotation] === digest) return;
    const certificateAuthority = authority === '' ? undefined : authority;
    const directEndpoint = url === '' ? null : { host: url, caData: certificateAuthority ?? null };
    const document: JsonObject = {
      metadata: { annotations: { [agentHostAnnotation]: host, [agentAnnouncementDigestAnnotation]: digest } },
      spec: {
        directEndpoint,
        ...(isPeer
          ? {
              kubeconfig: writeKubeconfig({
                server: `${isTunneled ? tunnelOrigin : url}/${apiPrefix}/cluster/${name}`,
                ...(isTunneled || certificateAuthority === undefined ? {} : { certificateAuthority }),
                token: credential,
              }),
            }
          : {}),
      },
    };
    await clusters.verbs.patch(
      systemContext(''),
      name,
      { type: 'merge', document, findings: [] },
      { dryRun: false, fieldManager: 'flotilla-agent', fieldValidation: 'Ignore', force: false },
    );
  };
}
