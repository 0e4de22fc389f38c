import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EtcdCluster } from '../../src/store/etcd/etcd.fixture.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { makeAuthority } from '../kubernetes/harness/authority.ts';
import { type TestMachine, TestNetwork } from './test-network.ts';

const port = 8443;
/** The files that each further server needs from the first server. */
const sharedFiles = ['seal.key', 'signing.key', 'ca.crt', 'ca.key'];

export interface ReplicaSetOptions {
  readonly replicas?: number;
  readonly members?: number;
  /** Additional flags of etcd. */
  readonly etcdFlags?: readonly string[];
  /** Additional arguments for Node, by the number of the replica. */
  readonly nodeArgs?: (replica: number) => readonly string[];
  /** Additional environment variables of the servers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The data directory of a replica, by its number. Optional; defaults to a temporary one. */
  readonly directory?: (replica: number) => string | undefined;
  /** The number of replicas to start; further replicas are only prepared. Optional; defaults to all. */
  readonly started?: number;
  /** The number of the network. Sets that exist at the same time need different numbers. */
  readonly network?: number;
}

/**
 * Several real servers that share a real etcd cluster. Each server and each etcd member has its own machine in a test
 * network.
 */
export class ReplicaSet {
  readonly network: TestNetwork;
  readonly etcd: EtcdCluster;
  readonly replicas: readonly Replica[];
  /** The access key that the first replica has created for the administrator. */
  adminKey = '';
  readonly #folder: string;

  private constructor(folder: string, network: TestNetwork, etcd: EtcdCluster, replicas: readonly Replica[]) {
    this.#folder = folder;
    this.network = network;
    this.etcd = etcd;
    this.replicas = replicas;
  }

  static async start(options: ReplicaSetOptions = {}): Promise<ReplicaSet> {
    const { replicas: count = 3, members = 3, network: number = 0 } = options;
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-replicas-'));
    const network = new TestNetwork(number);
    const machines = memberNames(members).map((name) => network.addMachine(name));
    const authority = await makeAuthority('etcd');
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const serving = await authority.serving(machines.map(({ address }) => address));
    const flags = [
      `--cert-file=${file('etcd.crt', serving.cert)}`,
      `--key-file=${file('etcd.key', serving.key)}`,
      ...(options.etcdFlags ?? []),
    ];
    const etcd = await EtcdCluster.start(members, flags, { ca: Buffer.from(authority.cert) }, machines);
    const config = join(folder, 'server.yaml');
    // No rate limit: tests send requests as fast as they can with one key.
    writeFileSync(config, 'limits: {requestsPerSecond: 0}\n');
    const args = [
      ...['--store', etcd.endpoints, '--etcd-ca-file', file('etcd-ca.crt', authority.cert)],
      ...['--external-url', `https://${network.testAddress}:${port}`, '--config', config, '--log-level', 'warn'],
    ];
    const replicas = Array.from({ length: count }, (_, index) => {
      const name = `r${index}`;
      const { environment = {} } = options;
      const nodeArgs = options.nodeArgs?.(index) ?? [];
      return new Replica(options.directory?.(index) ?? join(folder, name), {
        name,
        machine: network.addMachine(name),
        args,
        nodeArgs,
        environment,
      });
    });
    const set = new ReplicaSet(folder, network, etcd, replicas);
    await set.#startReplicas(options.started ?? count);
    return set;
  }

  replica(index: number): Replica {
    const replica = this.replicas[index];
    if (replica === undefined) throw new Error(`there is no replica ${index}`);
    return replica;
  }

  /** The names of all machines that run etcd. */
  get memberNames(): readonly string[] {
    return memberNames(this.etcd.size);
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.kill()));
    await this.etcd.stop();
    this.network.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #startReplicas(started: number): Promise<void> {
    const [first, ...others] = this.replicas;
    if (first === undefined) return;
    await first.start();
    this.adminKey = first.process.adminKey;
    for (const other of others) other.copyFilesOf(first);
    await Promise.all(others.slice(0, started - 1).map((other) => other.start()));
  }
}

function memberNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `m${index}`);
}

/** One server of a replica set. */
export class Replica {
  readonly name: string;
  readonly machine: TestMachine;
  readonly #directory: string;
  readonly #args: readonly string[];
  readonly #nodeArgs: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  #process: FlotillaProcess | undefined;
  #isPaused = false;

  constructor(
    directory: string,
    options: {
      readonly name: string;
      readonly machine: TestMachine;
      readonly args: readonly string[];
      readonly nodeArgs: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
    },
  ) {
    this.#directory = directory;
    this.name = options.name;
    this.machine = options.machine;
    this.#args = options.args;
    this.#nodeArgs = options.nodeArgs;
    this.#environment = options.environment;
  }

  get process(): FlotillaProcess {
    if (this.#process === undefined) throw new Error(`${this.name} does not run`);
    return this.#process;
  }

  get url(): string {
    return `https://${this.machine.address}:${port}`;
  }

  copyFilesOf(other: Replica): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    for (const file of sharedFiles) cpSync(join(other.#directory, file), join(this.#directory, file));
  }

  /** The names of the files in the data directory. */
  get files(): readonly string[] {
    return readdirSync(this.#directory).sort();
  }

  /** Starts the server. `program` is the path of another version of the program. */
  async start(program?: string): Promise<void> {
    this.#process = await startFlotilla({
      ...(program === undefined ? {} : { program }),
      dataDirectory: this.#directory,
      listen: `${this.machine.address}:${port}`,
      commandPrefix: this.machine.commandPrefix,
      args: this.#args,
      nodeArgs: this.#nodeArgs,
      environment: this.#environment,
    });
  }

  /** Ends the server with SIGKILL. */
  async kill(): Promise<void> {
    if (this.#isPaused) this.resume();
    await this.#process?.stop('SIGKILL');
    this.#process = undefined;
  }

  /** Stops the server with SIGTERM, and waits for its exit. */
  async stop(): Promise<void> {
    await this.process.stop();
    this.#process = undefined;
  }

  /** Pauses the server with SIGSTOP. Its connections stay open, but it does not respond. */
  pause(): void {
    this.#isPaused = true;
    process.kill(this.process.pid, 'SIGSTOP');
  }

  resume(): void {
    this.#isPaused = false;
    process.kill(this.process.pid, 'SIGCONT');
  }
}
