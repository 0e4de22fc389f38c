import type { PolicyLine } from '../../api/agent/policy-feed.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PolicyFile, StoredPolicyLine } from './policy-file.ts';
import { PolicyReplica, type ReplicaListener } from './policy-replica.ts';
import { wrongApiWord } from './wrong-api-word.ts';

export interface CachedPolicyOptions {
  readonly file: PolicyFile;
  readonly listener: ReplicaListener;
  /** The maximum age of the policy in milliseconds. The agent rejects requests if the policy is older. */
  readonly maxAgeMilliseconds: number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The difference between the clocks of the agent and of the control server above which a warning is logged, in
 * milliseconds.
 */
const maxSilentSkewMs = 5_000;
/**
 * The maximum number of milliseconds by which the agent's clock can be set back. Beyond that, the age of the policy is
 * unknown and the policy is not used.
 */
const maxClockSetBackMs = 60_000;
/**
 * The interval, in milliseconds, at which the time of the last contact with the control server is written to disk even
 * if nothing else has changed.
 */
const keepaliveWriteMs = 60_000;
/**
 * The minimum number of appended lines before the policy file is compacted. The number must also exceed the number of
 * lines of the current policy.
 */
const minLinesToCompact = 1_000;

/**
 * The policy that the agent received from the control server: access keys, signing keys, and the objects that decide
 * about access. It is cached in memory and on disk.
 */
export class CachedPolicy {
  readonly replica: PolicyReplica;
  readonly #file: PolicyFile;
  readonly #options: CachedPolicyOptions;
  /** The wall-clock time of the last contact with the control server; `undefined` if there was none. */
  #contactAt: number | undefined;
  /**
   * The monotonic time of the last contact. It ensures that setting the wall clock back does not make the policy appear
   * younger.
   */
  #contactElapsed = 0;
  #storedAt = 0;
  #clockSkew = 0;
  /** True while the agent receives a full policy, that is, between the lines BEGIN and SYNCED. */
  #isSyncing = false;
  #pendingLines: StoredPolicyLine[] = [];
  #writing: Promise<void> | undefined;

  constructor(options: CachedPolicyOptions) {
    this.#options = options;
    this.#file = options.file;
    this.replica = new PolicyReplica(options.listener);
  }

  /**
   * Loads the whole policy from disk. If this function throws, nothing was loaded. Ignores the policy of a server with
   * another API word; the next policy from the server replaces it.
   */
  async load(): Promise<void> {
    const stored: StoredPolicyLine[] = [];
    for await (const each of this.#file.read()) stored.push(each);
    const { clock, log } = this.#options;
    const header = stored.map(({ line }) => line).find((line) => line.type === 'BEGIN');
    const wrong = header && wrongApiWord(header);
    if (wrong !== undefined) {
      log.warn({ reason: wrong }, 'ignoring the cached policy; requests are refused until the server sends its policy');
      return;
    }
    const last = stored.findLast(({ line }) => line.type === 'SYNCED' || line.type === 'ALIVE');
    const age = last === undefined ? 0 : clock.now() - last.at;
    if (age < -maxClockSetBackMs) {
      throw new Error('the clock of this machine shows a time before the last contact with the server');
    }
    for (const { line } of stored) this.replica.apply(line);
    this.#contactAt = last?.at;
    this.#contactElapsed = clock.elapsed() - Math.max(0, age);
    this.#storedAt = this.#contactAt ?? 0;
  }

  /** Milliseconds since the last contact with the control server; `undefined` if there was none. */
  get age(): number | undefined {
    const { clock } = this.#options;
    if (this.#contactAt === undefined) return undefined;
    return Math.max(0, clock.now() - this.#contactAt, clock.elapsed() - this.#contactElapsed);
  }

  /** True if the policy is not older than the maximum age, so that the agent may serve requests. */
  get isUsable(): boolean {
    return this.age !== undefined && this.age <= this.#options.maxAgeMilliseconds;
  }

  /** The clock of the control server minus the clock of the agent, in milliseconds. */
  get skew(): number {
    return this.#clockSkew;
  }

  /** Applies a line that the control server sent, and writes it to disk. */
  receive(line: PolicyLine): void {
    const at = this.#options.clock.now();
    this.replica.apply(line);
    if (line.type === 'BEGIN') this.#isSyncing = true;
    if (this.#isSyncing) {
      if (line.type !== 'SYNCED') return;
      this.#isSyncing = false;
      this.#recordContact(line.time, at);
      this.#store('everything', { line, at });
      return;
    }
    if (line.type !== 'ALIVE') {
      this.#store('one', { line, at });
      return;
    }
    this.#recordContact(line.time, at);
    if (at - this.#storedAt >= keepaliveWriteMs) this.#store('one', { line, at });
  }

  /** Writes the whole policy again, so that the file is sealed with the current key. */
  reseal(): void {
    const at = this.#contactAt;
    if (at !== undefined) this.#write(() => this.#replace([...this.replica.lines()], at));
  }

  /** Resolves after all received lines have been written to disk, or the write has failed. */
  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    await this.#file.close();
  }

  #recordContact(time: number, at: number): void {
    this.#contactAt = at;
    this.#contactElapsed = this.#options.clock.elapsed();
    const skew = time - at;
    if (Math.abs(skew) > maxSilentSkewMs && Math.abs(this.#clockSkew) <= maxSilentSkewMs) {
      this.#options.log.warn({ milliseconds: skew }, 'the clocks of this machine and the server differ');
    }
    this.#clockSkew = skew;
  }

  #store(what: 'one' | 'everything', stored: StoredPolicyLine): void {
    this.#storedAt = stored.at;
    if (what === 'everything') {
      const full = [...this.replica.lines()].map((line) => ({ line, at: stored.at }));
      this.#pendingLines = [];
      this.#write(() => this.#file.replace([...full, stored]));
      return;
    }
    this.#pendingLines.push(stored);
    this.#write(async () => {
      const lines = this.#pendingLines;
      this.#pendingLines = [];
      await this.#file.append(lines);
      if (this.#file.appended > minLinesToCompact) await this.#compact(stored.at);
    });
  }

  async #compact(at: number): Promise<void> {
    const full = [...this.replica.lines()];
    if (this.#file.appended > full.length) await this.#replace(full, at);
  }

  async #replace(full: readonly PolicyLine[], at: number): Promise<void> {
    await this.#file.replace([
      ...full.map((line) => ({ line, at })),
      { line: { type: 'SYNCED', time: at }, at: this.#contactAt ?? at },
    ]);
  }

  /**
   * Runs the writes one after another. A failed write is only logged, because only the next start of the agent reads
   * the file.
   */
  #write(work: () => Promise<void>): void {
    const before = this.#writing ?? Promise.resolve();
    const writing = before.then(work).catch((error: unknown) => {
      this.#options.log.error({ error: String(error) }, 'cannot write the policy to disk');
    });
    this.#writing = writing;
    void writing.then(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
  }
}
