import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import type { CertificatePair } from './make-certificate.ts';
import { readIfExists } from './private-dir.ts';
import { StartError } from './start-error.ts';

export type { CertificatePair };

/** The paths of the certificate files in the data directory. Only their owner can read them (mode 0600). */
export interface CertificateFiles {
  readonly caCertificate: string;
  readonly caKey: string;
  readonly servingCertificate: string;
  readonly servingKey: string;
}

const day = 24 * 60 * 60_000;
const authorityLifetime = 3650 * day;
/** The lifetime of a serving certificate. Browsers reject lifetimes of much more than a year. */
const servingLifetime = 365 * day;
/** A serving certificate is renewed this long before expiry, so that there is time to notice a failing renewal. */
const renewBefore = 30 * day;

/** The paths of the certificate and the private key of a certificate authority. */
export type AuthorityFiles = Pick<CertificateFiles, 'caCertificate' | 'caKey'>;

/** Returns the certificate authority of the installation. Creates it on the first start. */
export async function ensureCertificateAuthority(dir: AuthorityFiles, clock: Clock): Promise<CertificatePair> {
  const found = await readAuthorityFiles(dir);
  if (found === undefined) {
    const created = await createAuthority(clock);
    await writeAuthorityFiles(dir, created);
    return created;
  }
  if (hasExpired(found, clock)) {
    throw new StartError(
      `${dir.caCertificate} has expired: remove it and ${dir.caKey}, restart, and distribute new kubeconfigs`,
    );
  }
  return found;
}

export async function createAuthority(clock: Clock): Promise<CertificatePair> {
  const { createCertificateAuthority } = await import('./make-certificate.ts');
  return await createCertificateAuthority(clock.now(), authorityLifetime);
}

/** Reads a certificate authority; `undefined` if neither file exists. Throws StartError if the files do not match. */
export async function readAuthorityFiles({
  caCertificate,
  caKey,
}: AuthorityFiles): Promise<CertificatePair | undefined> {
  const cert = await readIfExists(caCertificate);
  const key = await readIfExists(caKey);
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new StartError(`${caCertificate} and ${caKey} belong together, but one of them is missing`);
  }
  assertPair({ cert, key }, caCertificate, caKey);
  return { cert, key };
}

export async function writeAuthorityFiles(dir: AuthorityFiles, { cert, key }: CertificatePair): Promise<void> {
  await writePrivateFile(dir.caKey, key);
  await writePrivateFile(dir.caCertificate, cert);
}

export function hasExpired({ cert }: CertificatePair, clock: Clock): boolean {
  return Date.parse(new X509Certificate(cert).validTo) <= clock.now();
}

/** True if both pairs have the same certificate, whatever whitespace their files contain. */
export function isSameCertificate(a: CertificatePair, b: CertificatePair): boolean {
  return new X509Certificate(a.cert).fingerprint256 === new X509Certificate(b.cert).fingerprint256;
}

/**
 * Returns the serving certificate from the data directory. Creates a new certificate if the stored one was issued by
 * another authority, does not cover all names, or expires within a month. Called at startup and then periodically.
 */
export async function ensureServingCertificate(
  dir: CertificateFiles,
  authority: CertificatePair,
  names: readonly string[],
  clock: Clock,
): Promise<CertificatePair> {
  const cert = await readIfExists(dir.servingCertificate);
  const key = await readIfExists(dir.servingKey);
  if (cert !== undefined && key !== undefined && isCurrent({ cert, key }, authority, names, clock.now())) {
    return { cert, key };
  }
  const { createServingCertificate } = await import('./make-certificate.ts');
  const created = await createServingCertificate(authority, names, clock.now(), servingLifetime);
  await writePrivateFile(dir.servingKey, created.key);
  await writePrivateFile(dir.servingCertificate, created.cert);
  return created;
}

/**
 * Reads the certificate and key that the operator provides. The certificate file may contain a chain that starts with
 * the server certificate.
 */
export async function readCustomCertificate(certFile: string, keyFile: string): Promise<CertificatePair> {
  const cert = await readIfExists(certFile);
  if (cert === undefined) throw new StartError(`the certificate file ${certFile} does not exist`);
  const key = await readIfExists(keyFile);
  if (key === undefined) throw new StartError(`the key file ${keyFile} does not exist`);
  assertPair({ cert, key }, certFile, keyFile);
  return { cert, key };
}

/**
 * Returns the CA certificate of a chain, for use in kubeconfigs: the last certificate, if it is self-signed.
 * `undefined` if the chain does not contain its CA certificate; clients are then expected to trust the CA already.
 */
export function caCertificateOf(chain: string): string | undefined {
  const last = chain.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)?.at(-1);
  if (last === undefined) return undefined;
  const certificate = new X509Certificate(last);
  return certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey)
    ? `${last}\n`
    : undefined;
}

/**
 * Returns the names and addresses that the serving certificate must cover. They contain neither duplicates nor
 * `0.0.0.0` and `::`.
 */
export function servingNames(additional: readonly string[]): string[] {
  const names = ['localhost', '127.0.0.1', '::1', ...additional.map((name) => name.toLowerCase())];
  return [...new Set(names)].filter((name) => name !== '0.0.0.0' && name !== '::' && name !== '');
}

function isCurrent(pair: CertificatePair, authority: CertificatePair, names: readonly string[], now: number): boolean {
  try {
    const leaf = new X509Certificate(pair.cert);
    const issuer = new X509Certificate(authority.cert);
    return (
      leaf.checkPrivateKey(createPrivateKey(pair.key)) &&
      leaf.checkIssued(issuer) &&
      leaf.verify(issuer.publicKey) &&
      Date.parse(leaf.validTo) - now > renewBefore &&
      Date.parse(leaf.validFrom) <= now &&
      names.every((name) => covers(leaf, name))
    );
  } catch {
    return false;
  }
}

/** Matches IP addresses. Loading `node:net` for its `isIP` would take as long as all other work on certificates. */
const isAddress = /:|^\d+\.\d+\.\d+\.\d+$/;

function covers(leaf: X509Certificate, name: string): boolean {
  if (isAddress.test(name)) return leaf.checkIP(name) !== undefined;
  return leaf.checkHost(name.replace(/^\*\./, 'any.')) !== undefined;
}

function assertPair(pair: CertificatePair, certFile: string, keyFile: string): void {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pair.cert);
  } catch {
    throw new StartError(`${certFile} does not contain a certificate`);
  }
  try {
    if (certificate.checkPrivateKey(createPrivateKey(pair.key))) return;
  } catch {
    throw new StartError(`${keyFile} does not contain a private key`);
  }
  throw new StartError(`${keyFile} is not the private key of ${certFile}`);
}
