import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mebibytes } from './figures.mjs';
import { processorMilliseconds } from './process-figures.mjs';

/** A server that uses more CPU milliseconds per second is not idle. */
const busyMilliseconds = 150;
const mostSettleSeconds = 60;
/** The time in which a server runs its postponed work after a pause. */
const wakeMilliseconds = 500;

/**
 * One side of the comparison: its server, the objects that scenarios have created in this server, and the figures so
 * far. Later scenarios reuse the objects of earlier ones. The sides are measured in alternation, so changes of the
 * machine's speed affect all of them. The server of a waiting side is paused, unless the side sets `staysRunning`.
 */
export class Session {
  #parts;
  #side;
  #load;
  #directory;
  #profiles;
  #turns;
  #server;
  #dataName = '';
  #filled = new Map();
  rows = [];

  /** `profiles`: directories for CPU profiles (`time`) and heap profiles (`allocations`), each optional. */
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

  /**
   * Returns a session for a second server of this side that runs at the same time on other data directories. The caller
   * stops the server.
   */
  another() {
    return new Session({ ...this.#parts, turns: undefined });
  }

  /** Runs work in this side's turn, which passes to the other side between two measurements. */
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

  /** True if the server is paused while it waits for its turn. */
  get #isPausable() {
    return this.#turns !== undefined && this.#side.staysRunning !== true;
  }

  #standStill() {
    if (this.#isPausable) this.#signal('SIGSTOP');
  }

  async #goOn() {
    if (!this.#isPausable || this.#server === undefined) return;
    this.#signal('SIGCONT');
    await sleep(wakeMilliseconds, undefined, { signal: this.signal });
  }

  /**
   * Sends a signal to the server. Ignores a server that has died, which is reported elsewhere, so the other side still
   * gets its turn.
   */
  #signal(signal) {
    for (const pid of this.#server?.target.pids ?? []) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    }
  }

  /** True if access keys are API objects on this side. */
  get makesKeys() {
    return this.#side.makesKeys === true;
  }

  /** True if this side has virtual clusters as control planes. */
  get hasPlanes() {
    return this.#side.hasPlanes === true;
  }

  /** The folder with the stored objects. */
  get storeFolder() {
    return join(this.#directory, this.#side.name, this.#dataName, 'store');
  }

  /** An empty folder for a program that a scenario starts beside the server. */
  folder(name) {
    return join(this.#directory, this.#side.name, `beside-${name}`);
  }

  get target() {
    return this.#server.target;
  }

  /**
   * Starts the server on the data directory `dataName` and returns the cost of the start. Does nothing if the server
   * already runs there. `inspect` allows reading the live heap; `workers` is the number of worker threads.
   */
  async start(dataName, options = {}) {
    if (this.#dataName === dataName) return undefined;
    await this.stop();
    const isNew = !this.#filled.has(dataName);
    this.#server = await this.#side.start(join(this.#directory, this.#side.name, dataName), options);
    this.#dataName = dataName;
    if (isNew) this.#filled.set(dataName, new Map());
    const serverCpu = processorMilliseconds(this.target.pids);
    return { figures: { milliseconds: this.#server.startMilliseconds, serverCpu }, isNew };
  }

  /** Starts the server on the data directory `dataName` and defines the kind of the test objects. */
  async startPrepared(dataName) {
    const started = await this.start(dataName);
    if (started?.isNew) await this.#side.prepare(this.target);
  }

  async restart() {
    const dataName = this.#dataName;
    await this.stop();
    return await this.start(dataName);
  }

  /**
   * Waits until the server has finished its work after a start. A server may load a kind on its first request. If a
   * namespace is given, this method sends that first request, so the idle memory and the next list are measured with
   * the kind loaded.
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

  /** The live heap of the server in mebibytes. */
  async liveHeap() {
    return mebibytes(await this.#server.profiler.liveHeap());
  }

  async stop() {
    this.#dataName = '';
    this.#signal('SIGCONT');
    await this.#server?.stop();
    this.#server = undefined;
  }

  /**
   * Ensures that a namespace contains the given number of objects, numbered from 0. Returns the figures of the creates
   * that were needed.
   */
  async fill(namespace, objects) {
    const filled = this.#filled.get(this.#dataName);
    if (!filled.has(namespace)) await this.#side.makeNamespace(this.target, namespace);
    const first = filled.get(namespace) ?? 0;
    filled.set(namespace, objects);
    if (first >= objects) return undefined;
    const options = { verb: 'create', namespace, clients: 64, first, objects: objects - first };
    return await this.#load.run('write', this.target, options);
  }

  /** Marks the objects of a namespace as changed, so the next `fill` creates them again. */
  forget(namespace) {
    this.#filled.get(this.#dataName).set(namespace, 0);
  }

  keys(count) {
    return this.#side.keys(this.target, count);
  }

  /** Runs a job that prepares a measurement, on this server or another target. */
  run(job, options, target = this.target) {
    return this.#load.run(job, target, options);
  }

  /** Runs a job that is measured, with profiles if requested. */
  async measure(operation, job, options, target = this.target) {
    console.error(`  ${operation}: ${this.#side.title} …`);
    const { profiler } = this.#server;
    const name = `${this.#side.name} ${operation}`.replaceAll(/[^A-Za-z0-9.]+/g, '-');
    const file = (folder, ending) => join(folder, `${name}.${ending}`);
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

  /**
   * Adds a row to the result. `id` identifies the row across runs and selects its target; the operation text contains
   * the sizes.
   */
  note(id, operation, figures) {
    this.rows.push({ id, operation, figures });
  }
}
