import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { CertificatePair } from './certificates.ts';

export interface CertificateKeeperOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly initial: CertificatePair;
  /** Reads or renews the certificate. A changed one is reported; after a failure the previous one stays in use. */
  load(): Promise<CertificatePair>;
  readonly intervalMilliseconds: number;
  onChange(pair: CertificatePair): void;
}

/** The files are read again periodically: this detects replaced files and swapped links of mounted volumes. */
export const ownCertificateInterval = 10_000;
/** Renewal starts a month before expiry, so twice a day is enough. */
export const renewalInterval = 12 * 60 * 60_000;

/** Keeps the serving certificate up to date while the server runs. Returns a function that stops it. */
export function keepCertificate(options: CertificateKeeperOptions): () => void {
  const { clock, log } = options;
  let current = options.initial;
  let stopped = false;
  let cancel = (): void => {};

  const reload = async (): Promise<void> => {
    try {
      const next = await options.load();
      if (!stopped && (next.cert !== current.cert || next.key !== current.key)) {
        options.onChange(next);
        current = next;
        log.info({}, 'the serving certificate was replaced');
      }
    } catch (error) {
      log.error({ error }, 'failed to load the serving certificate; the previous one stays in use');
    }
    if (!stopped) schedule();
  };

  const schedule = (): void => {
    cancel = clock.after(options.intervalMilliseconds, () => void reload());
  };

  schedule();
  return () => {
    stopped = true;
    cancel();
  };
}
