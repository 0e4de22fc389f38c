import type { BridgeTls } from '../../hosts/kubernetes/reach/programs/loopback-bridge.ts';
import { systemClock } from '../../lib/clock.ts';

/**
 * The lifetime of the certificate: longer than any process runs. Only this process has the private key, so the
 * certificate needs no renewal.
 */
const lifetime = 10 * 365 * 24 * 60 * 60_000;

/** Creates a certificate for the loopback interface. Its certificate authority signs no other certificate. */
export async function createBridgeTls(): Promise<BridgeTls> {
  const { createCertificateAuthority, createServingCertificate } = await import('../../process/make-certificate.ts');
  // Uses the system clock, because TLS compares the validity period of the certificate with the system clock.
  const now = systemClock.now();
  const authority = await createCertificateAuthority(now, lifetime);
  const { cert, key } = await createServingCertificate(authority, ['127.0.0.1'], now, lifetime);
  return { cert, key, authority: authority.cert };
}
