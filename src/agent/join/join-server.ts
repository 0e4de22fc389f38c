import type { AgentJoinRequest } from '../../api/agent/policy-feed.ts';
import { StatusError } from '../../api/status.ts';
import { joinTokenDigest, signAgentProof } from '../../auth/agent/agent-proof.ts';
import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { wait } from '../../lib/wait.ts';
import { accessKeyCredential, agentKeyCredential } from '../agent-credential.ts';
import { type ControlServerOptions, openControlServer } from '../control-server.ts';
import type { AgentIdentity } from './identity-file.ts';
import { ServerTime } from './server-time.ts';

export interface JoinServerOptions {
  readonly identity: AgentIdentity;
  /** The secret of the join token. */
  readonly secret: string;
  readonly host: AgentJoinRequest['host'];
  /** The connection to the server. */
  readonly connection: Pick<ControlServerOptions, 'url' | 'authority' | 'proxyUrl' | 'apiPrefix'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The result of an attempt to join: the server accepted the key, refused the token, or could not be reached. */
export type JoinResult =
  | { readonly outcome: 'joined' }
  | { readonly outcome: 'refused' | 'unreachable'; readonly detail: string };

const retry: BackoffOptions = { initialMilliseconds: 500, maxMilliseconds: 5_000 };
/**
 * The time after which the program exits with an error if no server has responded. A service manager then restarts it.
 */
const maxMilliseconds = 60_000;

/** Registers an agent's key at the server with a join token. */
export async function joinServer(options: JoinServerOptions, signal: AbortSignal): Promise<JoinResult> {
  const { clock, log, identity } = options;
  const time = new ServerTime(clock);
  const start = clock.elapsed();
  for (let failures = 1; ; failures++) {
    const result = await tryToJoin(options, time, signal);
    if (result.outcome !== 'unreachable' || signal.aborted) return result;
    if (clock.elapsed() - start >= maxMilliseconds) return result;
    log.warn({ server: identity.server, error: result.detail }, 'cannot reach the server to join; retrying');
    await wait(clock, backoffDelay(failures, retry), signal);
  }
}

async function tryToJoin(
  { identity, secret, host, connection, clock }: JoinServerOptions,
  time: ServerTime,
  signal: AbortSignal,
): Promise<JoinResult> {
  const { keyPair, installation, cluster } = identity;
  let hasNewTime = false;
  const common = {
    ...connection,
    cluster,
    clock,
    onDate(date: string | undefined) {
      hasNewTime = time.observe(date) || hasNewTime;
    },
  };
  const joining = openControlServer({ ...common, credential: async () => accessKeyCredential(secret) });
  const joined = openControlServer({
    ...common,
    credential: async () => agentKeyCredential(keyPair, identity, time),
  });
  const sign = () => signAgentProof(keyPair, { installation, cluster, joinToken: joinTokenDigest(secret) }, time.now());
  const join = () => joining.join({ publicKey: keyPair.publicKey.pem, proof: sign(), host }, signal);
  try {
    await join().catch((error: unknown) => {
      // Try again if the clock was corrected, because the server may have refused the proof for its wrong time.
      if (!hasNewTime || !isRefusal(error)) throw error;
      return join();
    });
    return { outcome: 'joined' };
  } catch (error) {
    if (!isRefusal(error)) return { outcome: 'unreachable', detail: describeError(error) };
    // The server may have accepted this key in an earlier request whose response was lost. The token is then used up,
    // but the server accepts the key.
    const isKnown = await joined.reportActivity({ used: [] }, signal).then(
      () => true,
      () => false,
    );
    return isKnown ? { outcome: 'joined' } : { outcome: 'refused', detail: describeError(error) };
  } finally {
    await Promise.all([joining.close(), joined.close()]);
  }
}

/** True if the server has responded with an error that another attempt cannot avoid. */
function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.code >= 400 && error.code < 500 && error.code !== 429;
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
