import { hash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { type AddressAnnouncerOptions, startAddressAnnouncer } from './address-announcer.ts';
import { type AgentAuth, createAgentAuth } from './agent-auth.ts';
import type { AgentContext } from './agent-context.ts';
import { openControlServer } from './control-server.ts';
import { type FollowPolicyOptions, followPolicy } from './policy/follow-policy.ts';
import type { AgentPolicy } from './policy/open-agent-policy.ts';
import { readProxyUrl } from './read-flag-file.ts';
import { reportActivity } from './report-activity.ts';
import { keepTunnels } from './tunnel/keep-tunnels.ts';
import { uploadAuditLog } from './upload-audit-log.ts';

/** The connection to the control server, and the authentication that uses it. */
export interface ServerLink {
  readonly auth: AgentAuth;
  /**
   * Announces this agent to the control server, and until the agent closes, receives the policy and uploads activity
   * and audit lines. `accept` serves the connections that the server opens in tunnels.
   */
  start(announcement: AddressAnnouncerOptions['announcement'], accept: (connection: Duplex) => void): void;
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
  // Tunnels are closed after the listener, which is opened later: responses to requests from a tunnel need the tunnel.
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

  function start(announcement: AddressAnnouncerOptions['announcement'], accept: (connection: Duplex) => void): void {
    const stopping = new AbortController();
    const { signal } = stopping;
    const announcing = startAddressAnnouncer({ server: server, announcement: announcement, clock, log }, signal);
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
      // The server can use the announcement only if there is a tunnel, so it is repeated for each new one.
      const onOpened = () => announcing.onConnected();
      tunnels = keepTunnels({ server, isServerReachable: () => connected, accept, onOpened, clock, log }, signal);
    }
    closing.add('server communication', async () => {
      stopping.abort(new Error('the agent is shutting down'));
      await Promise.all(work);
    });
  }

  return { auth, start };
}
