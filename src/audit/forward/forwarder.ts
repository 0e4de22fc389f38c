import type { ChainHead } from '../../api/audit/audit-chain.ts';
import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { wait } from '../../lib/wait.ts';
import { auditLineTimestamp } from '../audit-line-matcher.ts';
import { hasLine } from '../chain/find-chain-head.ts';
import type { AuditLogLocation } from '../log-files.ts';
import type { ForwardPositions } from './forward-positions.ts';
import { ForwardError, type ForwardTarget } from './forward-target.ts';
import { type FollowedLines, LogFollower } from './log-follower.ts';

export interface ForwarderOptions {
  readonly name: string;
  readonly target: ForwardTarget;
  readonly location: AuditLogLocation;
  /** Returns the last line that was written to the log. */
  head(): ChainHead;
  readonly positions: ForwardPositions;
  readonly clock: Clock;
  readonly log: Log;
  /** The time between two reads of the log, in milliseconds. Optional; defaults to one second. */
  readonly pollMilliseconds?: number | undefined;
}

/** The state of a forwarder, for metrics and health checks. */
export interface ForwardState {
  readonly name: string;
  /** The number of lines that the target has not received. */
  readonly lagLines: number;
  /** The age, in seconds, of the oldest line that the target has not received. */
  readonly lagSeconds: number;
  readonly failures: number;
  /** The number of lines that retention removed before the target received them. */
  readonly lostLines: number;
  /** The reason why the last attempt failed; `undefined` if the last attempt succeeded. */
  readonly error: string | undefined;
}

const backoff = { initialMilliseconds: 1_000, maxMilliseconds: 60_000 };

/**
 * Sends all lines of the audit log to one target, in order and at least once. There is no other buffer than the log
 * files. The position is stored only after the target has confirmed the lines.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #follower: LogFollower;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #position: ChainHead;
  /** The lines that were read but not confirmed yet. They are sent again after a failure. */
  #pending: FollowedLines | undefined;
  #failures = 0;
  #lostLines = 0;
  #error: string | undefined;
  /** The time of the oldest line that the target has not received, in milliseconds since the epoch. */
  #oldestUnsent: number | undefined;

  private constructor(options: ForwarderOptions, position: ChainHead) {
    this.#options = options;
    this.#position = position;
    this.#follower = new LogFollower(options.location);
    this.#running = this.#run();
  }

  /** Starts at the stored position, or at the oldest line of the log if there is none. */
  static async start(options: ForwarderOptions): Promise<Forwarder> {
    const { name, positions, location, log } = options;
    const stored = positions.get(name) ?? { seq: 0, hash: '' };
    if (stored.seq <= options.head().seq) return new Forwarder(options, stored);
    if (await hasLine(location, stored)) return new Forwarder(options, stored);
    log.warn({ target: name }, 'the audit log was replaced since it was last forwarded; forwarding all of its lines');
    return new Forwarder(options, { seq: 0, hash: '' });
  }

  get state(): ForwardState {
    const { name, head, clock } = this.#options;
    const lagLines = Math.max(0, head().seq - this.#position.seq);
    const age = lagLines === 0 || this.#oldestUnsent === undefined ? 0 : clock.now() - this.#oldestUnsent;
    return {
      name,
      lagLines,
      lagSeconds: Math.max(0, age / 1_000),
      failures: this.#failures,
      lostLines: this.#lostLines,
      error: this.#error,
    };
  }

  /** Returns the number of the file with the first line that the target has not received; 0 is the current file. */
  async unsentFileIndex(): Promise<number> {
    if (this.#position.seq >= this.#options.head().seq) return 0;
    return await this.#follower.fileIndexAfter(this.#position.seq);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { clock, pollMilliseconds = 1_000 } = this.#options;
    let failedInARow = 0;
    while (!signal.aborted) {
      try {
        const isMore = await this.#forwardBatch(signal);
        failedInARow = 0;
        if (!isMore) await wait(clock, pollMilliseconds, signal);
      } catch (error) {
        if (signal.aborted) return;
        failedInARow++;
        this.#fail(error);
        await wait(clock, backoffDelay(failedInARow, backoff), signal);
      }
    }
  }

  /** Sends the next lines. Returns false if there are no lines to send. */
  async #forwardBatch(signal: AbortSignal): Promise<boolean> {
    const { target, head } = this.#options;
    this.#pending ??= await this.#follower.read(this.#position, head().seq);
    const batch = this.#pending;
    const [first] = batch.lines;
    if (first === undefined) {
      this.#pending = undefined;
      return false;
    }
    this.#oldestUnsent = auditLineTimestamp(first) ?? this.#oldestUnsent;
    await target.send(batch.lines, signal);
    await this.#confirm(batch);
    return true;
  }

  async #confirm({ last, missing, lines }: FollowedLines): Promise<void> {
    const { name, positions, log } = this.#options;
    // A new target has no stored position. It gets the lines in the log, and older lines do not count as lost.
    const isLoss = missing > 0 && this.#position.seq > 0;
    this.#position = last;
    this.#pending = undefined;
    if (isLoss) {
      this.#lostLines += missing;
      log.error({ target: name, lines: missing }, 'audit lines were removed before the target received them');
    }
    if (this.#error !== undefined) log.info({ target: name, lines: lines.length }, 'audit lines are forwarded again');
    this.#error = undefined;
    this.#oldestUnsent = undefined;
    await positions.set(name, last).catch((error: unknown) => {
      log.warn(
        { target: name, error },
        'the position of the audit forwarder cannot be stored; lines may be sent again',
      );
    });
  }

  #fail(error: unknown): void {
    const { name, log } = this.#options;
    this.#failures++;
    const isNew = this.#error === undefined;
    this.#error = error instanceof ForwardError ? error.message : 'an internal error; see the log';
    if (!(error instanceof ForwardError)) log.error({ target: name, error }, 'forwarding audit lines failed');
    else if (isNew) log.warn({ target: name, reason: error.message }, 'audit lines cannot be forwarded; trying again');
  }
}
