import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { CertificatePair } from './certificates.ts';

export interface CertificateKeeperOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly first: CertificatePair;
  /** Reads or renews; whatever differs from the last is handed on. A failure leaves the last in place. */
  load(): Promise<CertificatePair>;
  readonly everyMilliseconds: number;
  onChange(pair: CertificatePair): void;
}

/** An operator who replaces a file, and a volume that swaps a link, are seen by reading again. */
export const ownCertificateInterval = 10_000;
/** Renewal has a month; twice a day is plenty. */
export const renewalInterval = 12 * 60 * 60_000;

/** Looks after the serving certificate for as long as the server runs. Returns how to stop. */
export function keepCertificate(options: CertificateKeeperOptions): () => void {
  const { clock, log } = options;
  let current = options.first;
  let stopped = false;
  let cancel = (): void => {};

  const look = async (): Promise<void> => {
    try {
      const next = await options.load();
      if (!stopped && (next.cert !== current.cert || next.key !== current.key)) {
        options.onChange(next);
        current = next;
        log.info({}, 'the serving certificate was replaced');
      }
    } catch (error) {
      log.error({ error }, 'the serving certificate could not be loaded; the last one stays');
    }
    if (!stopped) schedule();
  };

  const schedule = (): void => {
    cancel = clock.after(options.everyMilliseconds, () => void look());
  };

  schedule();
  return () => {
    stopped = true;
    cancel();
  };
}
