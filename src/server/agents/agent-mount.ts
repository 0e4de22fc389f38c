import {
  type ActiveAccessKey,
  type AgentActivity,
  type AgentAnnouncement,
  type AgentAnnouncementReceipt,
  agentPaths,
} from '../../api/agent/policy-feed.ts';
import { agentUser } from '../../api/naming.ts';
import { forbiddenPath, methodNotAllowedOnPath, pathNotFound } from '../../api/status.ts';
import { type AuthenticatedChainOptions, authenticatedChain } from '../../http/chain.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { pathSegments, rawPath } from '../../http/request/path-segments.ts';
import type { Mount } from '../../http/router.ts';
import { bearerTokenOf } from '../../http/session/bearer-token.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { AgentAudit } from './agent-audit.ts';
import { readActivity, readAnnouncement, readAuditBatch, readJoinRequest, readKeyCheck } from './agent-requests.ts';
import type { AgentEntry } from './agent-status.ts';
import type { JoiningAgent } from './join-agent.ts';
import { type PolicySource, streamPolicyFeed } from './stream-policy-feed.ts';

export interface AgentMountOptions {
  readonly apiPrefix: string;
  readonly chain: AuthenticatedChainOptions;
  readonly policy: PolicySource;
  /**
   * Returns a function that authenticates requests. Agents' credentials are authenticated here, and all other
   * credentials by `others`.
   */
  authenticate(others: AuthenticatedChainOptions['authenticate']): AuthenticatedChainOptions['authenticate'];
  /**
   * Returns the purpose of an access key: `join` if it gives an agent access only to the path to join, `serve` if it
   * gives access to all other paths. `undefined` if the key does not belong to an agent.
   */
  purposeOf(keyName: string): 'join' | 'serve' | undefined;
  join(agent: JoiningAgent): Promise<void>;
  /** Passes the lines through and marks the agent as connected until they end. */
  whileConnected(entry: AgentEntry, lines: AsyncIterable<string>): AsyncIterable<string>;
  announce(entry: AgentEntry, announcement: AgentAnnouncement): Promise<AgentAnnouncementReceipt>;
  /** Returns the active access key with this secret value; `undefined` if there is none. */
  activeKey(value: string): MaybePromise<ActiveAccessKey | undefined>;
  /** Called when an agent has authenticated with this access key. */
  onKeyUsed(cluster: string, keyName: string): Promise<void>;
  readonly audit: AgentAudit;
  /** Accepts a tunnel of the agent. Rejects with StatusError if the agent must not serve the cluster. */
  acceptTunnel(entry: AgentEntry, exchange: Exchange): Promise<Reply>;
  /** Called when an agent reports the use of instances on its cluster. */
  onActivity(cluster: string, activity: AgentActivity): void;
}

/** Number of path segments before the path that a handler serves: `/<api_prefix>/agent/<cluster>`. */
const depth = 3;

const clusterOf = (exchange: Exchange): string => pathSegments(rawPath(exchange.request.url))[2] ?? '';

const entryOf = (exchange: Exchange): AgentEntry => ({
  cluster: clusterOf(exchange),
  agent: exchange.identity?.accessKey ?? '',
});

const pathOf = (exchange: Exchange): string => pathSegments(rawPath(exchange.request.url)).slice(depth).join('/');

/**
 * The API for agents. Each agent has access only to the paths of its own cluster. Users have no access to these paths.
 */
export function agentMount(options: AgentMountOptions): Mount {
  const routes = agentRoutes(options);
  const handler = authenticatedChain(
    {
      ...options.chain,
      authenticate: options.authenticate(options.chain.authenticate),
      depth,
      authorize({ user, accessKey }, _attributes, exchange) {
        const isAgent = accessKey !== undefined && user.name === agentUser(clusterOf(exchange));
        const purpose = isAgent ? options.purposeOf(accessKey) : undefined;
        if (purpose === undefined) throw forbiddenPath('these paths are only for the agent of the cluster');
        const isJoin = pathOf(exchange) === agentPaths.join;
        if (isJoin && purpose !== 'join') throw forbiddenPath('only a join token may be used to join');
        if (!isJoin && purpose === 'join') throw forbiddenPath('a join token may be used only to join');
        return { allowed: true, reason: 'the agent of the cluster' };
      },
    },
    async (exchange) => {
      const path = pathOf(exchange);
      const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
      if (route === undefined) throw pathNotFound();
      if (exchange.request.method !== route.method) throw methodNotAllowedOnPath();
      if (path !== agentPaths.join) await options.onKeyUsed(clusterOf(exchange), exchange.identity?.accessKey ?? '');
      return await route.handle(exchange);
    },
  );
  return { prefix: `/${options.apiPrefix}/agent`, handler };
}

interface AgentRoute {
  readonly method: string;
  readonly handle: Handler;
}

/** Returns the routes of the API by their path below the cluster. */
function agentRoutes(options: AgentMountOptions): Readonly<Record<string, AgentRoute>> {
  return {
    [agentPaths.join]: {
      method: 'POST',
      async handle(exchange) {
        const { accessKey: keyName = '' } = exchange.identity ?? {};
        const secret = exchange.credential?.token ?? bearerTokenOf(exchange.request) ?? '';
        await options.join({
          ...(await readJoinRequest(exchange)),
          cluster: clusterOf(exchange),
          keyName,
          secret,
        });
        return jsonReply({});
      },
    },
    [agentPaths.policy]: {
      method: 'GET',
      handle: async (exchange) => ({
        status: 200,
        headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
        body: options.whileConnected(
          entryOf(exchange),
          streamPolicyFeed(clusterOf(exchange), options.policy, exchange.signal),
        ),
      }),
    },
    [agentPaths.announcement]: {
      method: 'PUT',
      async handle(exchange) {
        return jsonReply(await options.announce(entryOf(exchange), await readAnnouncement(exchange)));
      },
    },
    [agentPaths.keyCheck]: {
      method: 'POST',
      async handle(exchange) {
        const known = await options.activeKey((await readKeyCheck(exchange)).accessKey);
        if (known === undefined) throw pathNotFound();
        return jsonReply(known);
      },
    },
    [agentPaths.activity]: {
      method: 'POST',
      async handle(exchange) {
        options.onActivity(clusterOf(exchange), await readActivity(exchange));
        return jsonReply({});
      },
    },
    [agentPaths.audit]: {
      method: 'POST',
      handle: async (exchange) =>
        jsonReply(await options.audit.append(clusterOf(exchange), await readAuditBatch(exchange))),
    },
    [agentPaths.tunnel]: {
      method: 'GET',
      handle: async (exchange) => await options.acceptTunnel(entryOf(exchange), exchange),
    },
  };
}

function jsonReply(body: object): Reply {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  };
}
