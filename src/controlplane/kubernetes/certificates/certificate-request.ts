import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { pemBlocks } from '../../pem.ts';
import { bitsOf, DerError, type DerValue, derMembers, derTags, derValues } from './der.ts';

/** A request for a certificate in the format PKCS #10. */
export interface CertificateRequest {
  /** The organizations in the subject. */
  readonly organizations: readonly string[];
  /** Returns Go's error message for a wrong signature; `undefined` if the signature is correct. */
  signatureFault(): string | undefined;
}

/**
 * The digest algorithms of signature algorithms, by the object identifier of the signature algorithm in hexadecimal.
 */
const digests: Readonly<Record<string, string | undefined>> = {
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
};
const ed25519 = '2b6570';
const organization = '55040a';

/** Reads a request in PEM format. If the request cannot be read, returns an error message. */
export function readCertificateRequest(pem: string): CertificateRequest | string {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return parseRequest(block.bytes);
  } catch (error) {
    if (error instanceof DerError) return error.message;
    throw error;
  }
}

function parseRequest(bytes: Buffer): CertificateRequest {
  const [request, ...trailing] = derValues(bytes);
  if (trailing.length > 0) throw new DerError();
  const [info, algorithm, signature] = derMembers(request, derTags.sequence);
  const [, subject, publicKey] = derMembers(info, derTags.sequence);
  const [identifier] = derMembers(algorithm, derTags.sequence);
  if (info === undefined || publicKey === undefined || identifier?.tag !== derTags.objectIdentifier)
    throw new DerError();
  const signed = bitsOf(signature);
  return {
    organizations: organizationsOf(subject),
    signatureFault: () => signatureFault(identifier.contents.toString('hex'), publicKey.encoded, info.encoded, signed),
  };
}

function organizationsOf(subject: DerValue | undefined): string[] {
  return derMembers(subject, derTags.sequence)
    .flatMap((set) => derMembers(set, derTags.set))
    .map((attribute) => derMembers(attribute, derTags.sequence))
    .filter(([type]) => type?.contents.toString('hex') === organization)
    .map(([, value]) => value?.contents.toString('utf8') ?? '');
}

const faults: Readonly<Record<string, string | undefined>> = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
};

function signatureFault(algorithm: string, key: Buffer, signed: Buffer, signature: Buffer): string | undefined {
  const digest = digests[algorithm];
  const unknown = 'x509: cannot verify signature: algorithm unimplemented';
  if (digest === undefined && algorithm !== ed25519) return unknown;
  let publicKey: KeyObject;
  try {
    publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
  } catch {
    return unknown;
  }
  const fault = faults[publicKey.asymmetricKeyType ?? ''] ?? unknown;
  try {
    return verify(digest ?? null, signed, publicKey, signature) ? undefined : fault;
  } catch {
    return fault;
  }
}
