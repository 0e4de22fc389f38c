import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicyFeedHeader, PolicyLine } from '../../api/agent/policy-feed.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { followPolicy } from './follow-policy.ts';
import { PolicyReplica } from './policy-replica.ts';

const header = { installation: 'i', apiPrefix: 'p', serviceAccountTokens: true, time: 1 };
const begin = (more: Partial<PolicyFeedHeader> = {}): PolicyLine => ({ type: 'BEGIN', ...header, ...more });
const key = (name: string): PolicyLine => ({
  type: 'KEY',
  key: { name, uid: 'u', mark: 'm', user: { name: 'anna', groups: [] }, scopes: [] },
});
const synced: PolicyLine = { type: 'SYNCED', time: 1 };

/** An agent that reconnects. Each new connection receives the next of the given feeds. */
class Agent {
  readonly clock = new ManualClock();
  readonly replica = new PolicyReplica({ onKeysChanged() {}, onObjectChanged() {} });
  connections = 0;
  #feeds: readonly (readonly PolicyLine[])[] = [];
  readonly #stop = new AbortController();
  readonly #following: Promise<void>;

  constructor() {
    const agent = this;
    this.#following = followPolicy(
      {
        server: {
          async *streamPolicy() {
            const feed = agent.#feeds[agent.connections] ?? [];
            agent.connections++;
            yield* feed;
          },
        },
        header: () => this.replica.header,
        onLine: (line) => this.replica.apply(line),
        onSynced() {},
        onLost() {},
        clock: this.clock,
        log: silentLog,
      },
      this.#stop.signal,
    );
  }

  /** Connects once per feed. */
  async receive(...feeds: (readonly PolicyLine[])[]): Promise<void> {
    this.#feeds = [...Array.from({ length: this.connections }, () => []), ...feeds];
    const until = this.#feeds.length;
    while (this.connections < until) {
      this.clock.advance(5_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }
}

let agent: Agent;
beforeEach(() => {
  agent = new Agent();
});
afterEach(() => agent.stop());

describe('the policy of an agent with several servers', () => {
  it('is not replaced by an older one, so that a revoked key stays revoked', async () => {
    await agent.receive([begin({ revision: 10 }), key('revoked'), synced, { type: 'NO_KEY', name: 'revoked' }]);
    await agent.receive([begin({ revision: 12 }), key('other'), synced]);
    await agent.receive([begin({ revision: 11 }), key('revoked'), synced]);
    expect([agent.replica.key('revoked'), agent.replica.key('other')?.name]).toEqual([undefined, 'other']);
    await agent.receive([begin({ revision: 12 }), key('newer'), synced]);
    expect(agent.replica.key('newer')).toBeDefined();
  });

  it('is compared with the revision of the latest keepalive', async () => {
    await agent.receive([begin({ revision: 10 }), synced, { type: 'ALIVE', time: 1, revision: 20 }]);
    await agent.receive([begin({ revision: 15 }), key('revoked'), synced]);
    expect(agent.replica.key('revoked')).toBeUndefined();
    expect(agent.replica.header?.revision).toBe(20);
  });

  it('is replaced by that of a new installation, and by that of a server without revisions', async () => {
    await agent.receive([begin({ revision: 10 }), key('one'), synced]);
    await agent.receive([begin({ revision: 5, installation: 'other' }), key('two'), synced]);
    expect(agent.replica.key('two')).toBeDefined();
    await agent.receive([begin({ installation: 'other' }), key('three'), synced]);
    expect(agent.replica.key('three')).toBeDefined();
  });

  it('is not accepted from a server with another API word', async () => {
    await agent.receive([begin({ apiWord: 'loft' }), key('one'), synced]);
    expect(agent.replica.key('one')).toBeUndefined();
    await agent.receive([begin({ apiWord: 'platform' }), key('two'), synced]);
    expect(agent.replica.key('two')).toBeDefined();
  });

  it('is replaced by an older one if nothing newer arrives for a minute, because the store was restored', async () => {
    await agent.receive([begin({ revision: 10 }), key('one'), synced]);
    const older = [begin({ revision: 5 }), key('two'), synced];
    await agent.receive(older, older);
    expect(agent.replica.key('two')).toBeUndefined();
    await agent.receive(...Array.from({ length: 20 }, () => older));
    expect(agent.replica.key('two')).toBeDefined();
  });
});
