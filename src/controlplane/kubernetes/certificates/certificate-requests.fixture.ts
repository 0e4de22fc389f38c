import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

const sequence = 0x30;
const set = 0x31;

function der(tag: number, ...members: readonly Buffer[]): Buffer {
  const contents = Buffer.concat(members);
  const { length } = contents;
  const digits = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  const header = length < 0x80 ? [length] : digits;
  return Buffer.concat([Buffer.from([tag, ...header]), contents]);
}

function attribute(type: number, text: string): Buffer {
  const identifier = der(0x06, Buffer.from([0x55, 0x04, type]));
  return der(set, der(sequence, identifier, der(0x0c, Buffer.from(text))));
}

/** Returns a request for a certificate in PEM format, signed with a new key. */
export function certificateRequestPem(commonName: string, organizations: readonly string[] = []): string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return requestPem(commonName, organizations, publicKey, privateKey);
}

function requestPem(name: string, organizations: readonly string[], publicKey: KeyObject, signer: KeyObject): string {
  const subject = der(sequence, ...organizations.map((one) => attribute(0x0a, one)), attribute(0x03, name));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const info = der(sequence, Buffer.from([0x02, 0x01, 0x00]), subject, key, Buffer.from([0xa0, 0x00]));
  const algorithm = der(sequence, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const signature = createSign('sha256').update(info).sign(signer);
  const request = der(sequence, info, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = request.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE REQUEST-----', ...lines, '-----END CERTIFICATE REQUEST-----', ''].join('\n');
}

/** Returns a request whose signature was made with another key. */
export function wronglySignedPem(commonName: string): string {
  const [own, other] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  if (own === undefined || other === undefined) throw new Error('no keys were generated');
  return requestPem(commonName, [], own.publicKey, other.privateKey);
}

/** Returns text in base64, the form of fields that contain bytes. */
export function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
