import type { ChainHead } from '../../api/audit/audit-chain.ts';
import { ForwardPositions } from '../../audit/forward/forward-positions.ts';
import type { ForwardSettings } from '../../audit/forward/forward-settings.ts';
import { Forwarder, type ForwardState } from '../../audit/forward/forwarder.ts';
import { syslogTarget } from '../../audit/forward/syslog-target.ts';
import { webhookTarget } from '../../audit/forward/webhook-target.ts';
import type { AuditLogLocation } from '../../audit/log-files.ts';
import type { LabelledGauge } from '../../http/metrics/server-gauges.ts';
import type { HealthCheck } from '../../http/plane.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

export interface ForwardersOptions {
  readonly targets: readonly ForwardSettings[];
  readonly location: AuditLogLocation;
  /** The number of rotated files that are kept even if all targets have received them. */
  readonly keptFiles: number;
  /** The maximum number of additional files that are kept for targets that have not received them. */
  readonly maxHeldFiles: number;
  /** The file with the position of each target. */
  readonly positionsPath: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Time between two reads of the log. Optional; tests shorten it. */
  readonly pollMilliseconds?: number;
}

/** Forwards the audit log of this server to all targets in the settings. */
export class Forwarders {
  readonly #options: ForwardersOptions;
  #forwarders: readonly Forwarder[] = [];
  #held = 0;
  #isLosing = false;

  constructor(options: ForwardersOptions) {
    this.#options = options;
  }

  /** Starts to forward. `head` returns the last line of the log. */
  async start(head: () => ChainHead): Promise<void> {
    const { targets, positionsPath, location, clock, log, pollMilliseconds } = this.#options;
    if (targets.length === 0) return;
    const positions = await ForwardPositions.open(positionsPath);
    positions.keepOnly(targets.map(({ name }) => name));
    this.#forwarders = await Promise.all(
      targets.map((settings) =>
        Forwarder.start({
          name: settings.name,
          target: settings.type === 'syslog' ? syslogTarget(settings) : webhookTarget(settings),
          location,
          head,
          positions,
          clock,
          log,
          pollMilliseconds,
        }),
      ),
    );
  }

  states(): readonly ForwardState[] {
    return this.#forwarders.map(({ state }) => state);
  }

  /** Returns the number of additional files that the next rotation must keep, so that no target misses a line. */
  async heldFiles(): Promise<number> {
    const { keptFiles, maxHeldFiles, log } = this.#options;
    const indexes = await Promise.all(this.#forwarders.map((each) => each.unsentFileIndex())).catch(
      (error: unknown) => {
        log.error({ error }, 'cannot find the audit lines that were not forwarded; keeping all files');
        return [keptFiles + maxHeldFiles];
      },
    );
    // The rotation increases the number of each file by one.
    const needed = Math.max(-1, ...indexes) + 1 - keptFiles;
    this.#held = Math.min(Math.max(needed, 0), maxHeldFiles);
    if (needed > maxHeldFiles && !this.#isLosing) {
      log.error(
        { keptFiles: keptFiles + maxHeldFiles },
        'removing audit lines that were not forwarded: the limit audit.heldFiles is reached',
      );
    } else if (this.#held > 0) {
      log.warn({ additionalFiles: this.#held }, 'keeping audit files that were not forwarded');
    }
    this.#isLosing = needed > maxHeldFiles;
    return this.#held;
  }

  /**
   * Returns a health check that fails if a target has not received old files, so that these files are kept or were
   * removed. The check does not affect the readiness of the server.
   */
  healthCheck(): HealthCheck {
    return {
      name: 'audit-forward',
      on: ['healthz'],
      check: () => {
        const late = this.states().filter(({ lagLines }) => lagLines > 0);
        if (this.#held === 0 || late.length === 0) return;
        const names = late.map(({ name, lagLines, error }) => `${name} (${lagLines} lines: ${error ?? 'sending'})`);
        const what = this.#isLosing ? 'lines are being removed' : `${this.#held} additional files are kept`;
        throw new Error(`audit lines are not forwarded to ${names.join(', ')}; ${what}`);
      },
    };
  }

  gauges(): readonly LabelledGauge[] {
    const gauge = (name: string, help: string, value: (state: ForwardState) => number): LabelledGauge => ({
      name: `flotilla_audit_forward_${name}`,
      help,
      label: 'target',
      values: () => this.states().map((state) => [state.name, value(state)] as const),
    });
    return [
      gauge('lag_lines', 'Number of audit lines that the target has not received.', (state) => state.lagLines),
      gauge(
        'lag_seconds',
        'Age of the oldest audit line that the target has not received.',
        (state) => state.lagSeconds,
      ),
      gauge('failures_total', 'Number of failed attempts to forward audit lines.', (state) => state.failures),
      gauge(
        'lost_lines_total',
        'Number of audit lines that were removed before the target received them.',
        (state) => state.lostLines,
      ),
    ];
  }

  async close(): Promise<void> {
    await Promise.all(this.#forwarders.map((each) => each.close()));
  }
}
