import { cp } from 'node:fs/promises';
import { type Clock, systemClock } from '../lib/clock.ts';
import { openMemoryStore } from '../store/memory.ts';
import { gatedStore, type ReplicaGate } from '../store/replicas.fixture.ts';
import type { Store } from '../store/store.ts';
import { type ParsedResponse, type RequestOptions, ServerTestEnv } from './server.fixture.ts';
import type { FlagValues } from './settings/flags.ts';
import type { RunningServer } from './start-server.ts';

/** A server that shares its store with other servers. */
export class ServerReplica {
  readonly bench: ServerTestEnv;
  readonly server: RunningServer;
  /** Delays the changes that this server receives. */
  readonly gate: ReplicaGate;

  constructor(bench: ServerTestEnv, server: RunningServer, gate: ReplicaGate) {
    this.bench = bench;
    this.server = server;
    this.gate = gate;
  }

  send(path: string, call: RequestOptions = {}): Promise<ParsedResponse> {
    return this.bench.send(this.server, path, call);
  }

  async code(path: string, token?: string): Promise<number> {
    return (await this.send(path, token === undefined ? {} : { token })).code;
  }
}

/** Runs two complete servers over one memory store. `second` has the keys and certificates of `first`. */
export class ReplicasTestEnv {
  readonly first: ServerReplica;
  readonly second: ServerReplica;
  readonly shared: Store;

  private constructor(first: ServerReplica, second: ServerReplica, shared: Store) {
    this.first = first;
    this.second = second;
    this.shared = shared;
  }

  /** `flags` is called for each server and returns its flags. */
  static async open(clock: Clock = systemClock, flags: ReplicaFlags = async () => ({})): Promise<ReplicasTestEnv> {
    const shared = openMemoryStore();
    const first = await startReplica(shared, { clock, flags });
    const second = await startReplica(shared, { clock, flags }, first.bench.dataDir);
    return new ReplicasTestEnv(first, second, shared);
  }

  async close(): Promise<void> {
    for (const { gate, bench } of [this.second, this.first]) {
      gate.reconnect();
      gate.open();
      await bench.close();
    }
    await this.shared.close();
  }
}

type ReplicaFlags = (bench: ServerTestEnv) => Promise<FlagValues>;

async function startReplica(
  shared: Store,
  { clock, flags }: { readonly clock: Clock; readonly flags: ReplicaFlags },
  keysOf?: string,
): Promise<ServerReplica> {
  const bench = await ServerTestEnv.open();
  if (keysOf !== undefined) {
    const hasSecrets = (path: string) => path === keysOf || /\.(key|crt)$/.test(path);
    await cp(keysOf, bench.dataDir, { recursive: true, filter: hasSecrets });
  }
  const { store, gate } = gatedStore(shared);
  // The first server that stops must not close the store of the other one.
  bench.store = new Proxy(store, {
    get: (target, name) => (name === 'close' ? async () => {} : Reflect.get(target, name)),
  });
  return new ServerReplica(bench, await bench.start(await flags(bench), clock), gate);
}
