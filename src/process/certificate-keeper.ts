import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { CertificatePair } from './certificates.ts';

export interface CertificateKeeperOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly initial: CertificatePair;
  /** Reads or renews the certificate. If this fails, the previous certificate remains in use. */
  load(): Promise<CertificatePair>;
  readonly intervalMilliseconds: number;
  onChange(pair: CertificatePair): void;
}

/** The interval in milliseconds at which the operator's certificate files are read again, to detect changes to them. */
export const customCertificateReloadMilliseconds = 10_000;
/**
 * The interval at which to check for renewal. Certificates are renewed a month before expiry, so the interval can be
 * long.
 */
export const certificateRenewalCheckMilliseconds = 12 * 60 * 60_000;

/**
 * Loads the serving certificate periodically and reports changes to `onChange`. Returns a function that stops the
 * loading.
 */
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
