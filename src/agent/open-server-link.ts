import { hash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { AgentTunnelQuery } from '../api/agent/policy-feed.ts';
import { timedOut } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { type AddressAnnouncerOptions, startAddressAnnouncer } from './address-announcer.ts';
import { type AgentAuth, createAgentAuth } from './agent-auth.ts';
import type { AgentContext } from './agent-context.ts';
import { openControlServer } from './control-server.ts';
import { type FollowPolicyOptions, followPolicy } from './policy/follow-policy.ts';
import type { AgentPolicy } from './policy/open-agent-policy.ts';
import { readProxyUrl } from './read-flag-file.ts';
import { reportActivity } from './report-activity.ts';
import { keepTunnels, type TunnelOpener } from './tunnel/keep-tunnels.ts';
import { uploadAuditLog } from './upload-audit-log.ts';

export interface ServerLinkOptions extends Pick<AddressAnnouncerOptions, 'announcement' | 'onAnnounced'> {
  /** Serves a connection that the server has opened in a tunnel. */
  accept(connection: Duplex): void;
  /** Returns the unique ID of the agent's cluster; '' if it is unknown. Absent for a built-in cluster. */
  clusterUid?(signal: AbortSignal): Promise<string>;
}

/** The connection to the control server, and the authentication that uses it. */
export interface ServerLink {
  readonly auth: AgentAuth;
  /**
   * Announces this agent to the control server, and until the agent closes, receives the policy and uploads activity
   * and audit lines.
   */
  start(options: ServerLinkOptions): void;
}

/** Prepares the connection to the control server. No request is sent before `start` is called. */
export async function openServerLink(agent: AgentContext, agentPolicy: AgentPolicy): Promise<ServerLink> {
  const { settings, clock, log, closing, outbox } = agent;
  const { policy, permissionSignals, activity } = agentPolicy;
  const server = openControlServer({
    url: settings.management,
    authority: agent.server.authority,
    proxyUrl: await readProxyUrl(settings),
    apiPrefix: settings.apiPrefix,
    cluster: settings.cluster,
    credential: () => agent.server.credential(),
    onDate: (date) => agent.server.onDate(date),
    clock,
  });
  closing.add('server connection', () => server.close());
  // Cleanup runs in reverse order, so the tunnels are closed after the listener, which is opened later. Responses to
  // requests from a tunnel need the tunnel.
  let tunnels: Promise<void> = Promise.resolve();
  closing.add('tunnels', async () => await tunnels);
  let connected = false;
  const secret = randomBytes(32).toString('base64');
  const auth = createAgentAuth({
    replica: policy.replica,
    permissionSignals: permissionSignals,
    isConnected: () => connected,
    server: server,
    hash: (token) => hash('sha256', secret + token, 'base64'),
    onKeysChanged: (listener) => agentPolicy.onKeys(listener),
    clock,
  });
  closing.add('authentication', () => auth.close());

  function start({ announcement, onAnnounced, accept, clusterUid }: ServerLinkOptions): void {
    const stopping = new AbortController();
    const { signal } = stopping;
    const announcing = startAddressAnnouncer({ server, announcement, onAnnounced, clock, log }, signal);
    const following: FollowPolicyOptions = {
      server: server,
      header: () => policy.replica.header,
      onLine(line) {
        policy.receive(line);
        auth.onPolicyReceived();
      },
      onSynced() {
        connected = true;
        if (!settings.usesTunnel) announcing.onConnected();
        log.info({ server: settings.management }, 'connected to the server');
      },
      onLost() {
        connected = false;
      },
      clock,
      log,
    };
    const work = [
      announcing.done,
      followPolicy(following, signal),
      uploadAuditLog({ outbox, server: server, clock, log }, signal),
      reportActivity({ activity, server: server, instances: () => policy.replica.instances(), clock }, signal),
    ];
    if (settings.usesTunnel) {
      // Announce again for each new tunnel, because the server can use the announcement only if there is a tunnel.
      const onOpened = () => announcing.onConnected();
      const describe = tunnelQuery(announcement.version, clusterUid, clock);
      let isPrepared = false;
      const opener: TunnelOpener = {
        async openTunnel(carrier, ending) {
          // Announce before the first tunnel is opened, because the server sends requests as soon as there is a tunnel,
          // and the agent must then know the server's credential.
          if (!isPrepared) onAnnounced?.(await server.announce({ ...announcement, isConnecting: true }, ending));
          isPrepared = true;
          return await server.openTunnel(carrier, ending, await describe(ending));
        },
      };
      tunnels = keepTunnels(
        { server: opener, isServerReachable: () => connected, accept, onOpened, clock, log },
        signal,
      );
    }
    closing.add('server communication', async () => {
      stopping.abort(new Error('the agent is shutting down'));
      await Promise.all(work);
    });
  }

  return { auth, start };
}

/**
 * The maximum time to wait for the ID of the cluster, in milliseconds. If there is no ID in time, the agent sends it
 * when it opens the next tunnel.
 */
const uidMilliseconds = 3_000;

/** Returns a function that describes the agent to the server. It is called for each new tunnel. */
function tunnelQuery(version: string, uidOf: ServerLinkOptions['clusterUid'], clock: Clock) {
  let known = '';
  return async (signal: AbortSignal): Promise<AgentTunnelQuery> => {
    if (known === '' && uidOf !== undefined) {
      const timeoutError = () => timedOut('the cluster did not respond');
      // Ignore errors, because the cluster may be unavailable. The agent connects anyway, so that users see why the
      // cluster does not respond.
      known = await withTimeout({ clock, milliseconds: uidMilliseconds, signal, timeoutError }, uidOf).catch(() => '');
    }
    return { version, ...(known === '' ? {} : { clusterUID: known }) };
  };
}
