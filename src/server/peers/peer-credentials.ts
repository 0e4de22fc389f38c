import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { CertificatePair } from '../../process/certificates.ts';
import { peerName } from './peer-names.ts';

export interface PeerCredentialsOptions {
  /** The ID of this replica. */
  readonly id: string;
  /** The certificate authority of the installation. */
  readonly authority: CertificatePair;
  readonly clock: Clock;
  readonly log: Log;
}

/** The TLS options with which replicas authenticate each other. */
export interface PeerTls extends CertificatePair {
  readonly ca: string;
  readonly minVersion: 'TLSv1.3';
}

const hour = 60 * 60_000;
/** The lifetime of a certificate. It is short, because the certificate exists only in memory and is renewed often. */
const lifetime = 48 * hour;
const renewalInterval = 12 * hour;

/** The certificate of this replica, which is created at the start and renewed before it expires. */
export class PeerCredentials {
  readonly #options: PeerCredentialsOptions;
  #tls: PeerTls;
  #cancelRenewal = () => {};
  #isClosed = false;

  private constructor(options: PeerCredentialsOptions, tls: PeerTls) {
    this.#options = options;
    this.#tls = tls;
  }

  /** Rejects if the certificate authority cannot sign certificates, because its key has another type. */
  static async open(options: PeerCredentialsOptions): Promise<PeerCredentials> {
    return new PeerCredentials(options, await createTls(options));
  }

  get tls(): PeerTls {
    return this.#tls;
  }

  /** Renews the certificate before it expires, and calls `onChange` after each renewal. */
  renew(onChange: (tls: PeerTls) => void): void {
    const { clock, log } = this.#options;
    this.#cancelRenewal = clock.at(clock.now() + renewalInterval, () => {
      void createTls(this.#options)
        .then((tls) => {
          this.#tls = tls;
          if (!this.#isClosed) onChange(tls);
        })
        .catch((error: unknown) =>
          log.error({ error }, 'failed to renew the certificate that this server shows to other replicas'),
        )
        .finally(() => {
          if (!this.#isClosed) this.renew(onChange);
        });
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRenewal();
  }
}

async function createTls({ id, authority }: PeerCredentialsOptions): Promise<PeerTls> {
  const { createReplicaCertificate } = await import('../../process/make-certificate.ts');
  // Uses the system clock, because TLS compares the lifetime with it.
  const pair = await createReplicaCertificate(authority, peerName(id), systemClock.now(), lifetime);
  return { ...pair, ca: authority.cert, minVersion: 'TLSv1.3' };
}
