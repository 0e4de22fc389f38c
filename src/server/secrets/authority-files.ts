import {
  type AuthorityFiles,
  type CertificatePair,
  isSameCertificate,
  readAuthorityFiles,
} from '../../process/certificates.ts';
import { StartError } from '../../process/start-error.ts';

/** The paths of the files of a certificate authority, and their content if the files exist. */
export interface FoundAuthority extends AuthorityFiles {
  readonly pair: CertificatePair | undefined;
}

/** The files with a certificate authority on this machine. */
export interface AuthorityFileSet {
  /** The files of `--ca-cert-file` and `--ca-key-file`. */
  readonly configured: FoundAuthority | undefined;
  /** The files in the data directory. The server has written them, or an operator has copied them. */
  readonly copied: FoundAuthority;
}

export async function readAuthorityFileSet(
  configured: { readonly certFile: string; readonly keyFile: string } | undefined,
  { caCertificate, caKey }: AuthorityFiles,
): Promise<AuthorityFileSet> {
  const copied = await find({ caCertificate, caKey });
  if (configured === undefined) return { configured, copied };
  const found = await find({ caCertificate: configured.certFile, caKey: configured.keyFile });
  if (found.pair === undefined) throw new StartError(`--ca-cert-file: ${configured.certFile} does not exist`);
  return { configured: found, copied };
}

/** Returns the authorities that exist, in the order in which they are used. */
export function presentAuthorities({ configured, copied }: AuthorityFileSet): readonly CertificatePair[] {
  return [configured?.pair, copied.pair].filter((pair) => pair !== undefined);
}

/** Throws StartError if a file contains a certificate authority other than the authority of the installation. */
export function assertAuthorityFiles({ configured, copied }: AuthorityFileSet, known: CertificatePair): void {
  if (configured?.pair !== undefined && !isSameCertificate(configured.pair, known)) {
    throw new StartError(
      `--ca-cert-file: ${configured.caCertificate} is not the certificate authority of this installation; ` +
        'use ca.crt and ca.key of another server, or start without --ca-cert-file and --ca-key-file',
    );
  }
  if (copied.pair !== undefined && !isSameCertificate(copied.pair, known)) {
    throw new StartError(
      `${copied.caCertificate} is not the certificate authority of this installation; ` +
        `remove it and ${copied.caKey}, and the server uses the one of the store`,
    );
  }
}

async function find(files: AuthorityFiles): Promise<FoundAuthority> {
  return { ...files, pair: await readAuthorityFiles(files) };
}
