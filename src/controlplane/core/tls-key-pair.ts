import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { type PemBlock, pemBlocks } from '../pem.ts';

/**
 * Returns the error that Go's TLS library reports if a certificate and a private key do not match; `undefined` if they
 * match. The error is used only in a warning, so rare errors may be worded differently than in Go.
 */
export function keyPairError(certificate: string, key: string): string | undefined {
  const certificates = [...pemBlocks(certificate)];
  if (certificates.length === 0) return 'tls: failed to find any PEM data in certificate input';
  const leaf = certificates.find(({ type }) => type === 'CERTIFICATE');
  if (leaf === undefined) return noCertificate(certificates);
  const keys = [...pemBlocks(key)];
  if (keys.length === 0) return 'tls: failed to find any PEM data in key input';
  const secret = keys.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (secret === undefined) return noKey(keys);
  return pairFault(leaf.text, secret.text);
}

function skipped(blocks: readonly PemBlock[]): string {
  return `after skipping PEM blocks of the following types: [${blocks.map(({ type }) => type).join(' ')}]`;
}

function noCertificate(blocks: readonly PemBlock[]): string {
  if (blocks.length === 1 && blocks[0]?.type.endsWith('PRIVATE KEY') === true) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input ${skipped(blocks)}`;
}

function noKey(blocks: readonly PemBlock[]): string {
  if (blocks.length === 1 && blocks[0]?.type === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input ${skipped(blocks)}`;
}

function pairFault(certificate: string, key: string): string | undefined {
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(certificate);
  } catch {
    return 'x509: malformed certificate';
  }
  try {
    const wanted = leaf.publicKey.export({ type: 'spki', format: 'der' });
    const given = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' });
    return wanted.equals(given) ? undefined : 'tls: private key does not match public key';
  } catch {
    return 'tls: failed to parse private key';
  }
}
