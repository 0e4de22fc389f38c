import type { PolicyLine } from '../api/agent/policy-feed.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { KeptLine, PolicyFile } from './policy-file.ts';
import { PolicyReplica, type ReplicaListener } from './policy-replica.ts';

export interface KnownPolicyOptions {
  readonly file: PolicyFile;
  readonly listener: ReplicaListener;
  /** What is older than this is not acted on any more. */
  readonly maxAgeMilliseconds: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** How far the two clocks may be apart before somebody is told. */
const noticedSkew = 5_000;
/** A clock that was set back further than this tells nobody how old something is. */
const mostSetBack = 60_000;
/** How often is written down that nothing has changed. */
const aliveMilliseconds = 60_000;
/** More lines than this, and than there are objects, are put together into one picture. */
const fewestToCompact = 1_000;

/** What the agent knows of who may come, in memory and on disk, and how old that is. */
export class KnownPolicy {
  readonly replica: PolicyReplica;
  readonly #file: PolicyFile;
  readonly #options: KnownPolicyOptions;
  /** When the centre was last heard, by the clock on the wall; undefined: never. */
  #heardAt: number | undefined;
  /** The same by the clock that nobody sets: to set the other one back makes nothing younger. */
  #heardAtElapsed = 0;
  #keptAt = 0;
  #skew = 0;
  /** Everything is being told anew. */
  #beginning = false;
  #waiting: KeptLine[] = [];
  #writing: Promise<void> | undefined;

  constructor(options: KnownPolicyOptions) {
    this.#options = options;
    this.#file = options.file;
    this.replica = new PolicyReplica(options.listener);
  }

  /** Takes up what was kept on disk: all of it, or where it throws nothing. */
  async load(): Promise<void> {
    const kept: KeptLine[] = [];
    for await (const each of this.#file.read()) kept.push(each);
    const { clock } = this.#options;
    const last = kept.findLast(({ line }) => line.type === 'SYNCED' || line.type === 'ALIVE');
    const age = last === undefined ? 0 : clock.now() - last.at;
    if (age < -mostSetBack) {
      throw new Error('the clock of this machine shows an earlier time than when the centre was last heard');
    }
    for (const { line } of kept) this.replica.take(line);
    this.#heardAt = last?.at;
    this.#heardAtElapsed = clock.elapsed() - Math.max(0, age);
    this.#keptAt = this.#heardAt ?? 0;
  }

  /** Milliseconds since the centre was heard; undefined: it never was. */
  get age(): number | undefined {
    const { clock } = this.#options;
    if (this.#heardAt === undefined) return undefined;
    return Math.max(0, clock.now() - this.#heardAt, clock.elapsed() - this.#heardAtElapsed);
  }

  /** Whether somebody can be let in by it. */
  get usable(): boolean {
    return this.age !== undefined && this.age <= this.#options.maxAgeMilliseconds;
  }

  /** How far the centre's clock is ahead of this one, in milliseconds. */
  get skew(): number {
    return this.#skew;
  }

  /** What the centre told now. */
  heard(line: PolicyLine): void {
    const at = this.#options.clock.now();
    this.replica.take(line);
    if (line.type === 'BEGIN') this.#beginning = true;
    if (this.#beginning) {
      if (line.type !== 'SYNCED') return;
      this.#beginning = false;
      this.#now(line.time, at);
      this.#keep('everything', { line, at });
      return;
    }
    if (line.type !== 'ALIVE') {
      this.#keep('one', { line, at });
      return;
    }
    this.#now(line.time, at);
    if (at - this.#keptAt >= aliveMilliseconds) this.#keep('one', { line, at });
  }

  /** Resolves when everything that was heard is on disk, or cannot be written there. */
  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    await this.#file.close();
  }

  #now(time: number, at: number): void {
    this.#heardAt = at;
    this.#heardAtElapsed = this.#options.clock.elapsed();
    const skew = time - at;
    if (Math.abs(skew) > noticedSkew && Math.abs(this.#skew) <= noticedSkew) {
      this.#options.log.warn({ milliseconds: skew }, 'the clock of this machine and that of the centre are apart');
    }
    this.#skew = skew;
  }

  #keep(what: 'one' | 'everything', kept: KeptLine): void {
    this.#keptAt = kept.at;
    if (what === 'everything') {
      const everything = [...this.replica.lines()].map((line) => ({ line, at: kept.at }));
      this.#waiting = [];
      this.#write(() => this.#file.replace([...everything, kept]));
      return;
    }
    this.#waiting.push(kept);
    this.#write(async () => {
      const lines = this.#waiting;
      this.#waiting = [];
      await this.#file.append(lines);
      if (this.#file.appended > fewestToCompact) await this.#compact(kept.at);
    });
  }

  async #compact(at: number): Promise<void> {
    const everything = [...this.replica.lines()];
    if (this.#file.appended <= everything.length) return;
    await this.#file.replace([
      ...everything.map((line) => ({ line, at })),
      { line: { type: 'SYNCED', time: at }, at: this.#heardAt ?? at },
    ]);
  }

  /** One after the other. A disk that is full costs what a restart would find, and nothing else. */
  #write(work: () => Promise<void>): void {
    const before = this.#writing ?? Promise.resolve();
    const writing = before.then(work).catch((error: unknown) => {
      this.#options.log.error({ error: String(error) }, 'what the centre told cannot be kept on disk');
    });
    this.#writing = writing;
    void writing.then(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
  }
}
