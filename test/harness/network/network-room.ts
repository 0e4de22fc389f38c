import { spawnSync } from 'node:child_process';

const ip = (...args: string[]) => spawnSync('ip', args, { encoding: 'utf8' });
const must = (...args: string[]) => {
  const { status, stderr } = ip(...args);
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
};

/** The reason why this machine cannot create network namespaces; `undefined` if it can. */
export const networkRoomsMissing =
  process.getuid?.() === 0 && ip('netns', 'list').status === 0
    ? undefined
    : 'network namespaces need root and the program ip';

/** A network namespace with one connection to the network of the machine. */
export class NetworkRoom {
  readonly #name: string;
  /** The address of programs in the namespace. */
  readonly inside: string;

  private constructor(name: string, inside: string) {
    this.#name = name;
    this.inside = inside;
  }

  /**
   * Creates the namespace. `addresses` are the addresses outside and inside the namespace, in one /30 range that is
   * reserved for network tests (RFC 2544).
   */
  static open(prefix: string, [outside, inside]: readonly [string, string]): NetworkRoom {
    const name = `${prefix}${process.pid % 100_000}`;
    must('netns', 'add', name);
    must('link', 'add', `${name}a`, 'type', 'veth', 'peer', 'name', `${name}b`, 'netns', name);
    must('addr', 'add', `${outside}/30`, 'dev', `${name}a`);
    must('link', 'set', `${name}a`, 'up');
    must('-n', name, 'addr', 'add', `${inside}/30`, 'dev', `${name}b`);
    must('-n', name, 'link', 'set', 'lo', 'up');
    const room = new NetworkRoom(name, inside);
    room.reconnect();
    return room;
  }

  /** The command with flags that runs a program in the namespace. */
  get commandPrefix(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name];
  }

  /** Runs a program in the namespace, and throws if it fails. */
  run(...command: readonly string[]): void {
    must('netns', 'exec', this.#name, ...command);
  }

  /** Returns names for the two interfaces of an additional link. The link is removed together with the namespace. */
  linkNames(suffix: string): readonly [string, string] {
    return [`${this.#name}${suffix}a`, `${this.#name}${suffix}b`];
  }

  /** Moves `far`, the second of two connected interfaces, into the namespace and gives both interfaces addresses. */
  addLink([near, far]: readonly [string, string], [outside, inside]: readonly [string, string]): void {
    must('link', 'set', far, 'netns', this.#name);
    must('addr', 'add', `${outside}/30`, 'dev', near);
    must('link', 'set', near, 'up');
    must('-n', this.#name, 'addr', 'add', `${inside}/30`, 'dev', far);
    must('-n', this.#name, 'link', 'set', far, 'up');
  }

  /** Silently drops the packets of new connections in one direction. Open connections stay, and so does loopback. */
  refuseConnections(direction: 'in' | 'out'): void {
    const [chain, device] = direction === 'in' ? ['INPUT', '-i'] : ['OUTPUT', '-o'];
    const isNew = ['-m', 'conntrack', '--ctstate', 'NEW'];
    this.run('iptables', '-A', chain, '!', device, 'lo', ...isNew, '-j', 'DROP');
  }

  /** Drops all packets. Neither side is notified. */
  disconnect(): void {
    must('-n', this.#name, 'link', 'set', `${this.#name}b`, 'down');
  }

  reconnect(): void {
    must('-n', this.#name, 'link', 'set', `${this.#name}b`, 'up');
  }

  close(): void {
    ip('netns', 'del', this.#name);
  }
}
