import { X509Certificate } from 'node:crypto';
import type { LabelledGauge } from '../../http/metrics/server-gauges.ts';

/** The ends of validity of the serving certificate and of the CA of the installation, for metrics. */
export class CertificateExpiries {
  readonly #expiries = new Map<string, number>();

  /** Reads a certificate in PEM. Of a chain, uses the first certificate. */
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
