import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { describeError } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import type { EtcdCredentials } from '../../store/etcd/client/endpoints.ts';
import type { EtcdStoreSettings } from '../settings/store-settings.ts';

/** Reads the files with the credentials for etcd. Throws StartError, whose message never contains the content of a file. */
export async function readEtcdCredentials(settings: EtcdStoreSettings): Promise<EtcdCredentials> {
  const { caFile, clientCertificate, user } = settings;
  return {
    ...(caFile === undefined ? {} : { ca: await readCertificates('etcd-ca-file', caFile) }),
    ...(clientCertificate === undefined ? {} : { clientCertificate: await readPair(clientCertificate) }),
    ...(user === undefined ? {} : { user: { name: user.name, password: await readPassword(user.passwordFile) } }),
  };
}

async function readPair({
  certFile,
  keyFile,
}: NonNullable<EtcdStoreSettings['clientCertificate']>): Promise<{ cert: Buffer; key: Buffer }> {
  const cert = await readCertificates('etcd-cert-file', certFile);
  const key = await read('etcd-key-file', keyFile);
  try {
    createSecureContext({ cert, key });
  } catch {
    throw new StartError(`--etcd-key-file: ${keyFile} is not the private key of ${certFile}, or not a PEM file`);
  }
  return { cert, key };
}

async function readCertificates(flag: string, path: string): Promise<Buffer> {
  const bytes = await read(flag, path);
  try {
    new X509Certificate(bytes);
  } catch {
    throw new StartError(`--${flag}: ${path} contains no PEM certificate`);
  }
  return bytes;
}

/** Reads a password. A line break at the end of the file is not part of it. */
async function readPassword(path: string): Promise<string> {
  const password = (await read('etcd-password-file', path)).toString('utf8').replace(/\r?\n$/, '');
  if (password === '') throw new StartError(`--etcd-password-file: ${path} is empty`);
  return password;
}

async function read(flag: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new StartError(`--${flag}: ${path} cannot be read: ${describeError(error)}`, { cause: error });
  }
}
