import type { CheckpointKey } from '../../audit/chain/checkpoint-key.ts';
import { hasLine } from '../../audit/chain/find-chain-head.ts';
import type { AuditLogLocation } from '../../audit/log-files.ts';
import type { ChainedAuditLog } from '../../audit/open-audit-log.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { KeyedSerializer } from '../../lib/queue/keyed-serializer.ts';
import { wait } from '../../lib/wait.ts';
import { PeriodicTask } from '../../replicas/periodic-task.ts';
import type { StoredCheckpoints } from './stored-checkpoints.ts';

export interface CheckpointKeeperOptions {
  /** The ID of this replica. */
  readonly id: string;
  readonly auditLog: Pick<ChainedAuditLog, 'head' | 'signNext' | 'recordLoss' | 'sync'>;
  readonly location: AuditLogLocation;
  readonly key: CheckpointKey;
  readonly checkpoints: StoredCheckpoints;
  readonly clock: Clock;
  readonly log: Log;
}

const intervalMilliseconds = 60_000;
const closeMilliseconds = 1_000;

/** Signs the newest hash of the audit log every minute, and stores the signature. */
export class CheckpointKeeper {
  readonly #options: CheckpointKeeperOptions;
  readonly #task: PeriodicTask;
  readonly #lanes = new KeyedSerializer();
  /** The number of the last line whose checkpoint is stored. */
  #storedSeq = 0;

  private constructor(options: CheckpointKeeperOptions) {
    this.#options = options;
    this.#task = new PeriodicTask({
      clock: options.clock,
      run: async () => {
        await this.signNow();
        return intervalMilliseconds;
      },
    });
  }

  /**
   * Checks that the log contains the line of the newest stored checkpoint. If the line is missing or differs, records
   * this in the log.
   */
  static async open(options: CheckpointKeeperOptions): Promise<CheckpointKeeper> {
    const { id, auditLog, location, checkpoints, clock, log } = options;
    const keeper = new CheckpointKeeper(options);
    await checkpoints.removeOld(clock.now());
    const stored = await checkpoints.get(id);
    if (stored !== undefined && !(await hasLine(location, stored))) {
      log.error(
        { line: stored.seq, signedAt: stored.time, file: location.path },
        'signed lines of the audit log are missing: they were removed, or the log belongs to another server',
      );
      auditLog.recordLoss({ seq: stored.seq, hash: stored.hash });
    }
    keeper.#task.runNow();
    return keeper;
  }

  /** Signs the last lines. Must be called before the log is closed. An unavailable store delays the shutdown only briefly. */
  async close(): Promise<void> {
    const giveUp = new AbortController();
    const lastSignature = this.#task.stop().then(() => this.signNow());
    await Promise.race([lastSignature, wait(this.#options.clock, closeMilliseconds, giveUp.signal)]);
    giveUp.abort();
  }

  /** Signs the last line now. Resolves after the signature is stored, or after signing or storing has failed. */
  signNow(): Promise<void> {
    return this.#lanes.run('sign', () => this.#sign());
  }

  async #sign(): Promise<void> {
    const { id, auditLog, key, checkpoints, clock, log } = this.#options;
    const { head } = auditLog;
    if (head.seq === 0 || head.seq === this.#storedSeq) return;
    try {
      auditLog.signNext();
      // The log is written to disk before it is signed, so that it contains everything that was signed after a power
      // failure.
      await auditLog.sync();
      await checkpoints.put(id, { ...head, ...key.sign(head, clock.now()) });
      this.#storedSeq = head.seq;
    } catch (error) {
      log.warn({ error }, 'the signature of the audit log cannot be stored; trying again in a minute');
    }
  }
}
