import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { KeyPairPem } from '../../harness/self-signed.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const hour = 3_600_000;

export interface Subject {
  readonly name: string;
  readonly groups?: readonly string[];
  /** The validity of the certificate in milliseconds. Optional; defaults to one day. */
  readonly lifetime?: number;
}

/** The certificate authority of a test cluster. */
export interface Authority {
  readonly cert: string;
  /** Creates a serving certificate for these names and addresses. */
  serving(hosts: readonly string[]): Promise<KeyPairPem & { readonly ca: string }>;
  /** Creates a client certificate. Kubernetes reads the user and the groups from its subject. */
  client(subject: Subject): Promise<KeyPairPem>;
}

export async function makeAuthority(name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const own = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: randomBytes(8).toString('hex'),
      name: `CN=${name}`,
      ...validFor(24 * hour),
      keys,
      signingAlgorithm: algorithm,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    },
    webcrypto as never,
  );

  async function issue(subject: string, usage: string, hosts: readonly string[], lifetime: number) {
    const leaf = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const names = hosts.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value }));
    const certificate = await X509CertificateGenerator.create(
      {
        serialNumber: randomBytes(8).toString('hex'),
        subject,
        issuer: own.subject,
        ...validFor(lifetime),
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [
          new ExtendedKeyUsageExtension([usage]),
          ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
        ],
      },
      webcrypto as never,
    );
    return { cert: certificate.toString('pem'), key: await keyPem(leaf.privateKey) };
  }

  return {
    cert: own.toString('pem'),
    serving: async (hosts) => ({
      ...(await issue('CN=server', ExtendedKeyUsage.serverAuth, hosts, 24 * hour)),
      ca: own.toString('pem'),
    }),
    client: ({ name: user, groups = [], lifetime = 24 * hour }) =>
      issue(
        [...groups.map((group) => `O=${group}`), `CN=${user}`].join(', '),
        ExtendedKeyUsage.clientAuth,
        [],
        lifetime,
      ),
  };
}

function validFor(lifetime: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - hour), notAfter: new Date(Date.now() + lifetime) };
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}
