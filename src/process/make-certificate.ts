import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate and its private key, both in PEM format. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;
/**
 * The start of a certificate's validity is this many milliseconds in the past, because clocks of clients may be slow.
 */
const backdated = 24 * 60 * 60_000;

/** Creates a certificate authority for this installation. It may sign certificates, but no other authorities. */
export async function createCertificateAuthority(now: number, lifetime: number): Promise<CertificatePair> {
  const keys = await crypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  // Each authority has a unique name, because some clients trust several installations and must distinguish their
  // authorities.
  const name = `CN=flotilla-ca-${randomBytes(4).toString('hex')}`;
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serialNumber(),
      name,
      notBefore: new Date(now - backdated),
      notAfter: new Date(now + lifetime),
      signingAlgorithm,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, crypto),
      ],
    },
    crypto,
  );
  return { cert: pemOf(certificate), key: await privateKeyPem(keys.privateKey) };
}

/** Creates a serving certificate for the given names and addresses, which become its subject alternative names. */
export function createServingCertificate(
  authority: CertificatePair,
  names: readonly string[],
  now: number,
  lifetime: number,
): Promise<CertificatePair> {
  return signCertificate(authority, { names, usages: [ExtendedKeyUsage.serverAuth], now, lifetime });
}

/**
 * Creates a certificate with which a replica identifies itself to other replicas, as a client and as a server. `name` is
 * its only subject alternative name.
 */
export function createReplicaCertificate(
  authority: CertificatePair,
  name: string,
  now: number,
  lifetime: number,
): Promise<CertificatePair> {
  const usages = [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth];
  return signCertificate(authority, { names: [name], usages, now, lifetime });
}

interface CertificateContent {
  readonly names: readonly string[];
  readonly usages: ExtendedKeyUsage[];
  readonly now: number;
  readonly lifetime: number;
}

async function signCertificate(
  authority: CertificatePair,
  { names, usages, now, lifetime }: CertificateContent,
): Promise<CertificatePair> {
  const issuer = new X509Certificate(authority.cert);
  const issuerKey = await crypto.subtle.importKey(
    'pkcs8',
    PemConverter.decodeFirst(authority.key),
    keyAlgorithm,
    false,
    ['sign'],
  );
  const keys = await crypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: serialNumber(),
      subject: 'CN=flotilla',
      issuer: issuer.subjectName,
      notBefore: new Date(now - backdated),
      notAfter: new Date(Math.min(now + lifetime, issuer.notAfter.getTime())),
      signingAlgorithm,
      publicKey: keys.publicKey,
      signingKey: issuerKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension(usages, false),
        new SubjectAlternativeNameExtension(names.map(generalName), false),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, crypto),
        await AuthorityKeyIdentifierExtension.create(issuer, false, crypto),
      ],
    },
    crypto,
  );
  return { cert: pemOf(certificate), key: await privateKeyPem(keys.privateKey) };
}

function generalName(name: string): JsonGeneralName {
  return isIP(name) === 0 ? { type: 'dns', value: name } : { type: 'ip', value: name };
}

/** Returns a random serial number: positive and 127 bits long, as RFC 5280 and Go's parser require. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem').trim()}\n`;
}

async function privateKeyPem(key: Parameters<typeof crypto.subtle.exportKey>[1]): Promise<string> {
  const bytes = await crypto.subtle.exportKey('pkcs8', key);
  return `${PemConverter.encode(bytes, PemConverter.PrivateKeyTag).trim()}\n`;
}
