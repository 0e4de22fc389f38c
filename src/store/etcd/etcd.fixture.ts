import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  freePorts,
  isProgram,
  type StartedProgram,
  startProgram,
  toolFolders,
} from '../../../test/harness/start-program.mjs';
import { type EtcdCredentials, parseEndpoints } from './client/endpoints.ts';
import { EtcdClient } from './client/etcd-client.ts';
import { statusMethod, txnMethod } from './client/methods.ts';

/** The name of the program. The tests of the store also run with the oldest supported version, `etcd-v3.5`. */
const programName = process.env.FLOTILLA_TEST_ETCD_PROGRAM ?? 'etcd';

const program = toolFolders()
  .map((folder) => join(folder, programName))
  .find(isProgram);

/** The reason why no etcd can be started; `undefined` if the program exists. */
export const noEtcd = program === undefined ? `there is no ${programName} (test/tools/build.sh builds it)` : undefined;

/** Short timeouts, so that tests of failures are fast. */
export const testTimeouts = { call: 6_000, member: 1_000 };

/** A cluster of real etcd members on loopback addresses. */
export class EtcdCluster {
  readonly #directory: string;
  readonly #members: Member[];
  readonly #credentials: EtcdCredentials;

  private constructor(directory: string, members: Member[], credentials: EtcdCredentials) {
    this.#directory = directory;
    this.#members = members;
    this.#credentials = credentials;
  }

  /**
   * Starts a cluster and waits until it accepts writes. With credentials, the cluster accepts only https, and the flags
   * must name its certificate. Without machines, all members run on this machine.
   */
  static async start(
    size = 1,
    flags: readonly string[] = [],
    credentials?: EtcdCredentials,
    machines: readonly EtcdMachine[] = [],
  ): Promise<EtcdCluster> {
    if (program === undefined) throw new Error(noEtcd);
    const directory = mkdtempSync(join(tmpdir(), 'flotilla-etcd-'));
    const ports = await freePorts(2 * size);
    const members = Array.from({ length: size }, (_, index) => {
      const [clientPort = 0, peerPort = 0] = ports.slice(2 * index);
      const scheme = credentials === undefined ? 'http' : 'https';
      const { address, commandPrefix } = machines[index] ?? { address: '127.0.0.1', commandPrefix: [] };
      const [url, peer] = [`${scheme}://${address}:${clientPort}`, `http://${address}:${peerPort}`];
      return { name: `m${index}`, url, peer, commandPrefix };
    });
    const initial = members.map(({ name, peer }) => `${name}=${peer}`).join(',');
    const cluster = new EtcdCluster(
      directory,
      members.map((member) => new Member(program, member, { directory, initial, flags })),
      credentials ?? {},
    );
    for (const member of cluster.#members) member.start();
    await cluster.untilReady();
    return cluster;
  }

  get size(): number {
    return this.#members.length;
  }

  /** The addresses of all members. */
  get endpoints(): string {
    return this.#members.map(({ url }) => url).join(',');
  }

  member(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new Error(`there is no member ${index}`);
    return member;
  }

  /** Waits until a transaction succeeds. */
  async untilReady(): Promise<void> {
    for (;;) {
      for (const member of this.#members) member.failIfEnded();
      const client = this.client();
      try {
        await client.call(statusMethod, {});
        await client.call(txnMethod, { compare: [], success: [{ put: { key: 'ready', value: '' } }], failure: [] });
        return;
      } catch {
        await delay(50);
      } finally {
        client.close();
      }
    }
  }

  client(): EtcdClient {
    const endpoints = parseEndpoints(this.endpoints);
    return new EtcdClient({ endpoints, credentials: this.#credentials, timeouts: testTimeouts });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.kill()));
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** A machine that a member runs on. The command that starts the member is appended to `commandPrefix`. */
export interface EtcdMachine {
  readonly address: string;
  readonly commandPrefix: readonly string[];
}

interface MemberAddress {
  readonly name: string;
  readonly url: string;
  readonly peer: string;
  readonly commandPrefix: readonly string[];
}

class Member {
  readonly url: string;
  readonly #command: readonly string[];
  readonly #flags: readonly string[];
  readonly #directory: string;
  readonly #data: string;
  #process: StartedProgram | undefined;
  #isPaused = false;

  constructor(
    program: string,
    { name, url, peer, commandPrefix }: MemberAddress,
    cluster: { readonly directory: string; readonly initial: string; readonly flags: readonly string[] },
  ) {
    this.url = url;
    this.#command = [...commandPrefix, program];
    this.#directory = cluster.directory;
    this.#data = join(cluster.directory, name);
    this.#flags = [
      `--name=${name}`,
      `--data-dir=${this.#data}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=${cluster.initial}`,
      '--log-level=error',
      '--unsafe-no-fsync',
      ...cluster.flags,
    ];
  }

  start(): void {
    const [first = '', ...rest] = this.#command;
    this.#process = startProgram(first, [...rest, ...this.#flags], this.#directory);
  }

  failIfEnded(): void {
    this.#process?.failIfEnded();
  }

  /** Ends the member with SIGKILL. */
  async kill(): Promise<void> {
    if (this.#isPaused) this.resume();
    await this.#process?.stop('SIGKILL');
    this.#process = undefined;
  }

  /** Copies the data of the member. The member must not be running. */
  backUp(): void {
    cpSync(this.#data, `${this.#data}.copy`, { recursive: true });
  }

  /** Replaces the data of the member by the copy. The member must not be running. */
  restore(): void {
    rmSync(this.#data, { recursive: true });
    cpSync(`${this.#data}.copy`, this.#data, { recursive: true });
  }

  /** Stops the member with SIGSTOP. Its connections stay open, but it answers no requests. */
  pause(): void {
    this.#isPaused = true;
    this.#signal('SIGSTOP');
    // Waits until all threads have stopped: they stop one after another, and the last ones could still answer a
    // request.
    while (this.#process !== undefined && !isStopped(this.#process.pid)) {}
  }

  resume(): void {
    this.#isPaused = false;
    this.#signal('SIGCONT');
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#process !== undefined) process.kill(this.#process.pid, signal);
  }
}

/** True if all threads of a process are stopped by a signal, or the process has ended. */
function isStopped(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  try {
    return readdirSync(threads).every((thread) => {
      const text = readFileSync(join(threads, thread, 'stat'), 'utf8');
      return /^[TtZX]/.test(text.slice(text.lastIndexOf(')') + 2));
    });
  } catch {
    return true;
  }
}
