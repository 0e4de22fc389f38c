import { type JoinToken, readJoinToken } from '../../api/agent/join-token.ts';
import { joinTokenDigest } from '../../auth/agent/agent-proof.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { StartError } from '../../process/start-error.ts';
import { type AgentCredential, accessKeyCredential, agentKeyCredential } from '../agent-credential.ts';
import { type AgentOptions, type ConnectedAgentOptions, defaultApiPrefix } from '../options.ts';
import { readFlagFile, readProxyUrl } from '../read-flag-file.ts';
import { requiredFlag } from '../read-options.ts';
import { type AgentIdentity, createIdentity, type IdentityFile } from './identity-file.ts';
import { joinServer } from './join-server.ts';
import { ServerTime } from './server-time.ts';

/** The server of an agent, and the credential with which the agent authenticates to it. */
export interface AgentServer {
  readonly settings: ConnectedAgentOptions;
  /** PEM-encoded CA certificates of the server; `undefined` to use the machine's trusted authorities. */
  readonly authority: string | undefined;
  /** Returns the credential for the next request. The credential can change while the agent runs. */
  credential(): Promise<AgentCredential>;
  /** Receives the header `date` of each response of the server. */
  onDate(date: string | undefined): void;
}

export interface FindServerOptions {
  readonly settings: AgentOptions;
  readonly identities: IdentityFile;
  readonly clock: Clock;
  readonly log: Log;
}

const noCredential =
  'the agent has no credential: use --join-token or --join-token-file with a token that "flotilla cluster add NAME --join" creates, or --access-key-file';

/**
 * Returns the server that the flags name, or that the agent has joined. If the flags contain an unused join token, the
 * agent joins first. Rejects with StartError if there is no server or the agent cannot join.
 */
export async function findServer(options: FindServerOptions, signal: AbortSignal): Promise<AgentServer> {
  const { settings, clock } = options;
  const { accessKeyFile } = settings;
  const authority = settings.caFile === undefined ? undefined : await readFlagFile(settings.caFile, '--ca-file');
  if (accessKeyFile !== undefined) {
    const { apiPrefix = defaultApiPrefix } = settings;
    const management = requiredFlag('management', settings.management);
    const cluster = requiredFlag('cluster', settings.cluster);
    return {
      settings: { ...settings, management, cluster, apiPrefix },
      authority,
      credential: async () => accessKeyCredential((await readFlagFile(accessKeyFile, '--access-key-file')).trim()),
      onDate() {},
    };
  }
  const identity = await findIdentity(options, authority, signal);
  const { cluster, server, apiPrefix } = identity;
  if (settings.cluster !== undefined && settings.cluster !== cluster) {
    throw new StartError(`--cluster: the agent has joined the cluster "${cluster}", not "${settings.cluster}"`);
  }
  const time = new ServerTime(clock);
  const credential = agentKeyCredential(identity.keyPair, identity, time);
  return {
    settings: {
      ...settings,
      management: settings.management ?? server,
      cluster,
      apiPrefix: settings.apiPrefix ?? apiPrefix,
    },
    authority: authority ?? identity.authority,
    credential: async () => credential,
    onDate: (date) => void time.observe(date),
  };
}

async function findIdentity(
  { settings, identities, clock, log }: FindServerOptions,
  authority: string | undefined,
  signal: AbortSignal,
): Promise<AgentIdentity> {
  const stored = await identities.read();
  const { current } = stored;
  const token = await readToken(settings, current !== undefined);
  if (token === undefined) {
    if (current === undefined) throw new StartError(noCredential);
    return current;
  }
  const digest = joinTokenDigest(token.secret);
  if (current?.tokenDigest === digest) return current;
  const joining = stored.joining?.tokenDigest === digest ? stored.joining : createIdentity(token);
  await identities.write({ current, joining });
  const connection = {
    url: settings.management ?? token.server,
    authority: authority ?? token.authority,
    proxyUrl: await readProxyUrl(settings),
    apiPrefix: settings.apiPrefix ?? token.apiPrefix,
  };
  const result = await joinServer(
    { identity: joining, secret: token.secret, host: settings.host.kind, connection, clock, log },
    signal,
  );
  if (result.outcome === 'joined') {
    await identities.write({ current: joining });
    const { cluster, keyPair } = joining;
    log.info({ cluster, fingerprint: keyPair.publicKey.fingerprint }, 'joined the cluster at the server');
    return joining;
  }
  if (current !== undefined) {
    log.warn({ error: result.detail }, 'cannot join with the new join token; using the key of the last join');
    return current;
  }
  throw new StartError(
    result.outcome === 'refused'
      ? `the server refuses the join token: ${result.detail}; a token is valid once and for an hour: create another one with "flotilla cluster rejoin ${token.cluster}"`
      : `cannot join because the server does not respond: ${result.detail}`,
  );
}

async function readToken(settings: AgentOptions, isOptional: boolean): Promise<JoinToken | undefined> {
  const { joinToken, joinTokenFile } = settings;
  if (joinToken !== undefined) return parseToken(joinToken, '--join-token');
  if (joinTokenFile === undefined) return undefined;
  try {
    return parseToken(await readFlagFile(joinTokenFile, '--join-token-file'), '--join-token-file');
  } catch (error) {
    // An agent that has joined no longer needs the token, so the file may have been removed.
    if (isOptional) return undefined;
    throw error;
  }
}

function parseToken(text: string, flag: string): JoinToken {
  const token = readJoinToken(text);
  // The message does not quote the text, because a part of it may be a secret.
  if (token === undefined) throw new StartError(`${flag}: the text is not a join token; copy all of it`);
  return token;
}
