import { spawnSync } from 'node:child_process';

const run = (args: readonly string[]) => spawnSync('ip', args, { encoding: 'utf8' });

function must(...args: string[]): void {
  const { status, stderr } = run(args);
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
}

/** The reason why no network can be created; `undefined` if it can. */
export const noTestNetwork =
  process.getuid?.() === 0 && run(['netns', 'list']).status === 0
    ? undefined
    : 'network namespaces need root and the program ip';

/** A machine of the network: a network namespace with one address. */
export interface TestMachine {
  readonly address: string;
  /** A command with flags that starts a program on this machine. */
  readonly commandPrefix: readonly string[];
}

/**
 * Machines that a bridge connects with each other and with the tests. A test can cut the connection between any two of
 * them, like a pulled cable: packets are dropped silently, and connections stay open.
 */
export class TestNetwork {
  readonly #id: string;
  readonly #subnet: string;
  readonly #machines = new Map<string, TestMachine>();

  /**
   * `number` distinguishes networks that exist at the same time. The addresses are from a range that is reserved for
   * tests (RFC 2544).
   */
  constructor(number: number) {
    this.#id = `fl${process.pid % 10_000}n${number}`;
    this.#subnet = `198.18.${100 + number}`;
    removeAbandoned(number);
    must('link', 'add', this.#id, 'type', 'bridge');
    must('addr', 'add', `${this.testAddress}/24`, 'dev', this.#id);
    must('link', 'set', this.#id, 'up');
  }

  /** The address of the test process in the network. */
  get testAddress(): string {
    return `${this.#subnet}.1`;
  }

  addMachine(name: string): TestMachine {
    const namespace = `${this.#id}${name}`;
    const address = `${this.#subnet}.${10 + this.#machines.size}`;
    must('netns', 'add', namespace);
    must('link', 'add', namespace, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    must('link', 'set', namespace, 'master', this.#id, 'up');
    must('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    must('-n', namespace, 'link', 'set', 'lo', 'up');
    must('-n', namespace, 'link', 'set', 'eth0', 'up');
    const machine = { address, commandPrefix: ['ip', 'netns', 'exec', namespace] };
    this.#machines.set(name, machine);
    return machine;
  }

  /** Drops all packets between the machine and the machines in `others`. */
  cut(name: string, others: readonly string[]): void {
    for (const other of others) {
      this.#route('add', name, other);
      this.#route('add', other, name);
    }
  }

  restore(name: string, others: readonly string[]): void {
    for (const other of others) {
      this.#route('del', name, other);
      this.#route('del', other, name);
    }
  }

  /** Silently drops the packets of new connections to the machine. */
  refuseConnectionsTo(name: string): void {
    const rule = ['-A', 'INPUT', '!', '-i', 'lo', '-m', 'conntrack', '--ctstate', 'NEW', '-j', 'DROP'];
    must('netns', 'exec', `${this.#id}${name}`, 'iptables', ...rule);
  }

  /** Drops the packets from the machine to the test process. */
  cutFromTests(name: string): void {
    must('-n', `${this.#id}${name}`, 'route', 'add', 'blackhole', `${this.testAddress}/32`);
  }

  restoreToTests(name: string): void {
    must('-n', `${this.#id}${name}`, 'route', 'del', 'blackhole', `${this.testAddress}/32`);
  }

  #route(action: 'add' | 'del', from: string, to: string): void {
    must('-n', `${this.#id}${from}`, 'route', action, 'blackhole', `${this.#address(to)}/32`);
  }

  #address(name: string): string {
    const machine = this.#machines.get(name);
    if (machine === undefined) throw new Error(`there is no machine ${name}`);
    return machine.address;
  }

  /** Removes all machines. All programs on them must have ended. */
  remove(): void {
    for (const name of this.#machines.keys()) run(['netns', 'del', `${this.#id}${name}`]);
    run(['link', 'del', this.#id]);
  }
}

/**
 * Removes networks that killed test runs have left and that have this number, because the new network needs their
 * addresses.
 */
function removeAbandoned(number: number): void {
  const bridges = run(['-o', 'link']).stdout.matchAll(new RegExp(`(?<=^\\d+: )fl\\d+n${number}(?=:)`, 'gm'));
  for (const [bridge] of bridges) {
    const namespaces = run(['netns', 'list']).stdout.match(new RegExp(`^${bridge}\\D\\w*`, 'gm')) ?? [];
    // Keeps this network, because another test run uses it.
    if (namespaces.some((namespace) => run(['netns', 'pids', namespace]).stdout !== '')) continue;
    for (const namespace of namespaces) run(['netns', 'del', namespace]);
    run(['link', 'del', bridge]);
  }
}
