import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import type { CertificatePair } from './make-certificate.ts';
import { readIfThere } from './private-dir.ts';
import { StartError } from './start-error.ts';

export type { CertificatePair };

/** Where they lie, each with mode 0600. */
export interface CertificateFiles {
  readonly caCertificate: string;
  readonly caKey: string;
  readonly servingCertificate: string;
  readonly servingKey: string;
}

const day = 24 * 60 * 60_000;
const authorityLifetime = 3650 * day;
/** What browsers take at most is a little more than a year. */
const servingLifetime = 365 * day;
/** A month is time enough to notice a renewal that fails. */
const renewBefore = 30 * day;

/** The installation's own authority: read, or made on the first start. */
export async function ensureAuthority(dir: CertificateFiles, clock: Clock): Promise<CertificatePair> {
  const cert = await readIfThere(dir.caCertificate);
  const key = await readIfThere(dir.caKey);
  if (cert === undefined && key === undefined) {
    const { makeAuthority } = await import('./make-certificate.ts');
    const made = await makeAuthority(clock.now(), authorityLifetime);
    await writePrivateFile(dir.caKey, made.key);
    await writePrivateFile(dir.caCertificate, made.cert);
    return made;
  }
  if (cert === undefined || key === undefined) {
    throw new StartError(`${dir.caCertificate} and ${dir.caKey} belong together, and one of them is missing`);
  }
  const parsed = parsePair({ cert, key }, dir.caCertificate, dir.caKey);
  if (parsed.validToDate <= clock.now()) {
    throw new StartError(
      `${dir.caCertificate} has ended: remove it and ${dir.caKey}, start again, and hand out new kubeconfigs`,
    );
  }
  return { cert, key };
}

/**
 * The serving certificate: the one in the data directory as long as it is ours, names everything it should and has
 * more than a month to live; otherwise a new one. Called at start and again from time to time.
 */
export async function ensureServingCertificate(
  dir: CertificateFiles,
  authority: CertificatePair,
  names: readonly string[],
  clock: Clock,
): Promise<CertificatePair> {
  const cert = await readIfThere(dir.servingCertificate);
  const key = await readIfThere(dir.servingKey);
  if (cert !== undefined && key !== undefined && isGood({ cert, key }, authority, names, clock.now())) {
    return { cert, key };
  }
  const { makeServingCertificate } = await import('./make-certificate.ts');
  const made = await makeServingCertificate(authority, names, clock.now(), servingLifetime);
  await writePrivateFile(dir.servingKey, made.key);
  await writePrivateFile(dir.servingCertificate, made.cert);
  return made;
}

/** Certificate files of the operator's own; the certificate may be a chain, the leaf first. */
export async function readOwnCertificate(certFile: string, keyFile: string): Promise<CertificatePair> {
  const cert = await readIfThere(certFile);
  if (cert === undefined) throw new StartError(`the certificate file ${certFile} does not exist`);
  const key = await readIfThere(keyFile);
  if (key === undefined) throw new StartError(`the key file ${keyFile} does not exist`);
  parsePair({ cert, key }, certFile, keyFile);
  return { cert, key };
}

/**
 * What a kubeconfig has to name for clients to trust this certificate: the last of its chain if that one signed
 * itself; undefined if its authority lies elsewhere, with the operating system's.
 */
export function authorityOf(chain: string): string | undefined {
  const last = chain.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)?.at(-1);
  if (last === undefined) return undefined;
  const certificate = new X509Certificate(last);
  return certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey)
    ? `${last}\n`
    : undefined;
}

/** Every name and address under which this server may be called, each once. */
export function servingNames(more: readonly string[]): string[] {
  const names = ['localhost', '127.0.0.1', '::1', ...more.map((name) => name.toLowerCase())];
  return [...new Set(names)].filter((name) => name !== '0.0.0.0' && name !== '::' && name !== '');
}

function isGood(pair: CertificatePair, authority: CertificatePair, names: readonly string[], now: number): boolean {
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

/** As far as it can be taken for a name: Node's own test takes as long to get ready as all else about certificates. */
const isAddress = /:|^\d+\.\d+\.\d+\.\d+$/;

function covers(leaf: X509Certificate, name: string): boolean {
  if (isAddress.test(name)) return leaf.checkIP(name) !== undefined;
  return leaf.checkHost(name.replace(/^\*\./, 'any.')) !== undefined;
}

function parsePair(pair: CertificatePair, certFile: string, keyFile: string): { validToDate: number } {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pair.cert);
  } catch {
    throw new StartError(`${certFile} does not hold a certificate`);
  }
  try {
    if (certificate.checkPrivateKey(createPrivateKey(pair.key))) {
      return { validToDate: Date.parse(certificate.validTo) };
    }
  } catch {
    throw new StartError(`${keyFile} does not hold a private key`);
  }
  throw new StartError(`${keyFile} is not the key of ${certFile}`);
}
