import { hash } from 'node:crypto';
import type { JsonObject } from '@flotilla/json';
import type { AgentAnnouncement, AgentAnnouncementReceipt } from '../../api/agent/policy-feed.ts';
import { readKubeconfig, writeKubeconfig } from '../../api/kubeconfig.ts';
import { type Cluster, clusterKind } from '../../api/management/v1/cluster.ts';
import { agentAnnouncementDigestAnnotation, agentHostAnnotation } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { notFound, StatusError } from '../../api/status.ts';
import type { ControlPlane } from '../../controlplane/control-plane.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import { clusterHiddenOf, hiddenKubeconfig } from '../../management/resources/cluster-hidden.ts';
import { storeOf } from '../../registry/kind-stores.ts';
import { tunnelOrigin } from '../tunnels/tunnel-origin.ts';

export interface AnnouncementHandlerOptions {
  readonly plane: Pick<ControlPlane, 'kinds' | 'freshRevision'>;
  /** Opens the sealed kubeconfig of a cluster. */
  unseal(sealed: string): string;
  readonly apiPrefix: string;
}

/** The maximum number of attempts. Agents of a cluster that start at the same time write the same object. */
const maxAttempts = 10;

/**
 * Creates the handler that stores the address that an agent announces. Clients use the address as the direct endpoint
 * of the cluster. If the cluster is reachable only through its agents, the handler also stores a kubeconfig with this
 * address and a credential for the agents. Agents announce themselves on every connect. An unchanged announcement is
 * not written, because a new kubeconfig closes all existing connections.
 * If agents are reached through tunnels, all agents of the cluster share the credential of the first announcement.
 * Otherwise each agent would replace the credential of the other agents.
 */
export function createAnnouncementHandler(options: AnnouncementHandlerOptions) {
  const { plane } = options;
  const clusters = storeOf(plane.kinds, clusterKind);

  /** Returns the credential in the stored kubeconfig; `undefined` if no credential is stored. */
  function storedCredential(name: string): string | undefined {
    const sealed = clusterHiddenOf(clusters.peekHidden('', name))?.[hiddenKubeconfig] ?? '';
    return sealed === '' ? undefined : readKubeconfig(options.unseal(sealed)).kubeconfig?.token;
  }

  return async (name: string, announcement: AgentAnnouncement): Promise<AgentAnnouncementReceipt> => {
    for (let attempt = 1; ; attempt++) {
      // Waits for the caches, because another replica may just have stored the same announcement.
      await plane.freshRevision?.();
      const cluster = clusters.peek('', name)?.object;
      if (cluster === undefined) throw notFound(groupResourceOf(clusterKind), name);
      const shares = cluster.spec?.networkPeer === true && isSharing(announcement);
      const digests = digestsOf(cluster, announcement, shares);
      const [access = '', endpoint = ''] =
        cluster.metadata.annotations?.[agentAnnouncementDigestAnnotation]?.split('.') ?? [];
      const stored = access === digests.access && shares ? storedCredential(name) : undefined;
      const keepsAccess = access === digests.access && (!shares || stored !== undefined);
      const keepsEndpoint = endpoint === digests.endpoint || (shares && !mayRemoveEndpoint(cluster, announcement));
      if (announcement.isConnecting === true) return stored === undefined ? {} : { credential: stored };
      const credential = stored ?? announcement.credential;
      const receipt = shares ? { credential } : {};
      if (keepsAccess && keepsEndpoint) return receipt;
      const { uid = '', resourceVersion = '' } = cluster.metadata;
      const digest = `${digests.access}.${keepsEndpoint ? endpoint : digests.endpoint}`;
      const document = {
        metadata: {
          uid,
          resourceVersion,
          annotations: { [agentHostAnnotation]: announcement.host, [agentAnnouncementDigestAnnotation]: digest },
        },
        spec: {
          ...(keepsEndpoint ? {} : { directEndpoint: endpointOf(announcement) }),
          ...(keepsAccess || cluster.spec?.networkPeer !== true
            ? {}
            : { kubeconfig: kubeconfigFor(name, { ...announcement, credential }, options) }),
        },
      };
      try {
        await clusters.verbs.patch(
          systemContext(''),
          name,
          { type: 'merge', document, findings: [] },
          { dryRun: false, fieldManager: 'flotilla-agent', fieldValidation: 'Ignore', force: false },
        );
        return receipt;
      } catch (error) {
        const isConflict = error instanceof StatusError && error.code === 409;
        if (!isConflict || attempt === maxAttempts) throw error;
      }
    }
  };
}

/**
 * True if the agents of the cluster share a credential. The data of a built-in cluster is in one agent, so such a
 * cluster has only one agent.
 */
function isSharing({ isTunneled = false, sharesCredential = false, host }: AgentAnnouncement): boolean {
  return isTunneled && sharesCredential && host === 'kubernetes';
}

/**
 * True if the announcement may remove or replace the direct endpoint. An agent that announces no address must not
 * remove the address of another agent.
 */
function mayRemoveEndpoint({ status }: Cluster, { url }: AgentAnnouncement): boolean {
  return url !== '' || (status?.agents ?? []).length < 2;
}

/**
 * Returns two digests of an announcement: of the access that the server uses, and of the address that clients use. A
 * shared credential is not part of the digests.
 */
function digestsOf({ spec }: Cluster, announcement: AgentAnnouncement, shares: boolean) {
  const { url, authority, credential, isTunneled = false, host } = announcement;
  const digest = (content: readonly unknown[]) => hash('sha256', JSON.stringify(content), 'base64url');
  const isPeer = spec?.networkPeer === true;
  // The digest does not reveal the credential, because the credential is long and random.
  const access = [isPeer, isTunneled, host, shares, ...(shares ? [] : [url, authority, credential])];
  return { access: digest(access), endpoint: digest([url, authority]) };
}

function endpointOf({ url, authority }: AgentAnnouncement): JsonObject | null {
  return url === '' ? null : { host: url, caData: authority === '' ? null : authority };
}

function kubeconfigFor(
  cluster: string,
  { url, authority, credential, isTunneled = false }: AgentAnnouncement,
  { apiPrefix }: Pick<AnnouncementHandlerOptions, 'apiPrefix'>,
): string {
  return writeKubeconfig({
    server: `${isTunneled ? tunnelOrigin : url}/${apiPrefix}/cluster/${cluster}`,
    ...(isTunneled || authority === '' ? {} : { certificateAuthority: authority }),
    token: credential,
  });
}
