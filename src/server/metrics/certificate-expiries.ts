import { X509Certificate } from 'node:crypto';
import type { LabelledGauge } from '../../http/metrics/server-gauges.ts';

/** The times at which the serving certificate and the CA of the installation expire, for metrics. */
export class CertificateExpiries {
  readonly #expiries = new Map<string, number>();

  /** Reads a certificate in PEM. If the text is a chain, uses its first certificate. */
  set(name: 'serving' | 'ca', pem: string): void {
    this.#expiries.set(name, Date.parse(new X509Certificate(pem).validTo) / 1_000);
  }

  gauge(): LabelledGauge {
    return {
      name: 'flotilla_certificate_expiry_timestamp_seconds',
      help: 'End of the validity of the certificate, in seconds since the epoch.',
      label: 'certificate',
      values: () => this.#expiries,
    };
  }
}
