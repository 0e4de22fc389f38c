import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mebibytes } from './figures.mjs';
import { processorMilliseconds } from './process-figures.mjs';

/** Processor time within a second that is more than a server takes that has nothing to do. */
const busyMilliseconds = 150;
const mostSettleSeconds = 60;
/** After it has stood still a server does what it has put off. */
const wakeMilliseconds = 500;

/**
 * One side of the comparison while it is measured: its server, the objects that scenarios have put into it, and the
 * figures they have found. A scenario that finds what it needs from an earlier one uses it. Where there are several,
 * they are measured by turns, so that a machine that is faster at one time than at another is so for both; the server of
 * whoever waits stands still.
 */
export class Session {
  #parts;
  #side;
  #load;
  #directory;
  #profiles;
  #turns;
  #server;
  #place = '';
  #filled = new Map();
  rows = [];

  /** `profiles`: directories for CPU profiles (`time`) and heap profiles (`allocations`), each if wanted. */
  constructor(parts) {
    const { side, load, directory, sizes, signal, profiles = {}, turns } = parts;
    this.#parts = parts;
    this.#side = side;
    this.#load = load;
    this.#directory = directory;
    this.#profiles = profiles;
    this.#turns = turns;
    this.sizes = sizes;
    this.signal = signal;
  }

  /** For a second server of this side at the same time, in places of other names; whoever asks for it stops it. */
  another() {
    return new Session({ ...this.#parts, turns: undefined });
  }

  /** Does it in this side's turn, which the other side has now and then between two measurements. */
  async inTurn(work) {
    await this.#turns?.begin();
    try {
      await this.#goOn();
      return await work();
    } finally {
      this.#standStill();
      this.#turns?.end();
    }
  }

  async #letOthersGoOn() {
    if (this.#turns === undefined || !this.#turns.isAwaited) return;
    this.#standStill();
    this.#turns.end();
    await this.#turns.begin();
    await this.#goOn();
  }

  #standStill() {
    if (this.#turns !== undefined) this.#signal('SIGSTOP');
  }

  async #goOn() {
    if (this.#turns === undefined || this.#server === undefined) return;
    this.#signal('SIGCONT');
    await sleep(wakeMilliseconds, undefined, { signal: this.signal });
  }

  /** A server that has died is somebody else's to tell; the other side's turn comes all the same. */
  #signal(signal) {
    for (const pid of this.#server?.target.pids ?? []) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    }
  }

  /** Whether access keys are objects there. */
  get makesKeys() {
    return this.#side.makesKeys === true;
  }

  /** Whether it has control planes that virtual clusters are. */
  get hasPlanes() {
    return this.#side.hasPlanes === true;
  }

  /** Where the objects lie on disk. */
  get storeFolder() {
    return join(this.#directory, this.#side.name, this.#place, 'store');
  }

  /** An empty folder for something that a scenario starts beside the server. */
  folder(name) {
    return join(this.#directory, this.#side.name, `beside-${name}`);
  }

  get target() {
    return this.#server.target;
  }

  /**
   * Starts the server on the data directory of that name and gives what that took; if it runs on that already, nothing.
   * With `inspect` its live heap can be asked for.
   */
  async start(place, { inspect = false } = {}) {
    if (this.#place === place) return undefined;
    await this.stop();
    const isNew = !this.#filled.has(place);
    this.#server = await this.#side.start(join(this.#directory, this.#side.name, place), { inspect });
    this.#place = place;
    if (isNew) this.#filled.set(place, new Map());
    const serverCpu = processorMilliseconds(this.target.pids);
    return { figures: { milliseconds: this.#server.startMilliseconds, serverCpu }, isNew };
  }

  /** Starts it on that place and has the kind of the objects ready there. */
  async startPrepared(place) {
    const started = await this.start(place);
    if (started?.isNew) await this.#side.prepare(this.target);
  }

  async restart() {
    const place = this.#place;
    await this.stop();
    return await this.start(place);
  }

  /**
   * Waits until what goes on after a start is over. A server may read a kind only when it is first asked for, which is
   * done here if a namespace is named: neither what idles nor what is listed next is to be without it.
   */
  async settle(namespace) {
    if (namespace !== undefined) {
      const path = `${this.target.api}/namespaces/${namespace}/virtualclusterinstances?limit=1`;
      await this.#load.run('send', this.target, { method: 'GET', path, expected: 200 });
    }
    for (let second = 0; second < mostSettleSeconds; second++) {
      const before = processorMilliseconds(this.target.pids);
      await sleep(second === 0 ? 1000 * this.sizes.idleSeconds : 1000, undefined, { signal: this.signal });
      if (second > 0 && processorMilliseconds(this.target.pids) - before < busyMilliseconds) return;
    }
  }

  /** Mebibytes of the server's heap that something still needs. */
  async liveHeap() {
    return mebibytes(await this.#server.profiler.liveHeap());
  }

  async stop() {
    this.#place = '';
    this.#signal('SIGCONT');
    await this.#server?.stop();
    this.#server = undefined;
  }

  /** A namespace that holds so many objects, the numbers from 0 on. Gives the figures of what had to be made. */
  async fill(namespace, objects) {
    const filled = this.#filled.get(this.#place);
    if (!filled.has(namespace)) await this.#side.makeNamespace(this.target, namespace);
    const first = filled.get(namespace) ?? 0;
    filled.set(namespace, objects);
    if (first >= objects) return undefined;
    const options = { verb: 'create', namespace, clients: 64, first, objects: objects - first };
    return await this.#load.run('write', this.target, options);
  }

  /** A namespace's objects are no longer what `fill` made them. */
  forget(namespace) {
    this.#filled.get(this.#place).set(namespace, 0);
  }

  keys(count) {
    return this.#side.keys(this.target, count);
  }

  /** A job that prepares something, at the server or at somebody else's. */
  run(job, options, target = this.target) {
    return this.#load.run(job, target, options);
  }

  /** A job that is measured, with profiles if they are wanted. */
  async measure(operation, job, options, target = this.target) {
    console.error(`  ${operation}: ${this.#side.title} …`);
    const { profiler } = this.#server;
    const file = (folder, ending) => join(folder, `${operation.replaceAll(/[^A-Za-z0-9.]+/g, '-')}.${ending}`);
    const { time, allocations } = this.#profiles;
    let work = () => this.#load.run(job, target, options);
    if (profiler !== undefined && allocations !== undefined) {
      const inner = work;
      work = () => profiler.allocations(file(allocations, 'heapprofile'), inner);
    }
    if (profiler !== undefined && time !== undefined) {
      const inner = work;
      work = () => profiler.time(file(time, 'cpuprofile'), inner);
    }
    const figures = await work();
    await this.#letOthersGoOn();
    return figures;
  }

  /** `id`: by what the same row of another run, and its target, are found; the operation's words say the sizes. */
  note(id, operation, figures) {
    this.rows.push({ id, operation, figures });
  }
}
