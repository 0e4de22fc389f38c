import { isKeyOfSet, readSigningKeyFile, type SigningKeySet } from '../../process/signing-key-file.ts';
import { StartError } from '../../process/start-error.ts';

/** A signing key file and its content. */
export interface SigningKeyFile {
  readonly path: string;
  readonly set: SigningKeySet;
}

/** The signing key files that exist on this machine. */
export interface SigningKeyFiles {
  /** The file of `--signing-key-file`. */
  readonly configured: SigningKeyFile | undefined;
  /** The file in the data directory. The server has written it, or an operator has copied it from another server. */
  readonly copied: SigningKeyFile | undefined;
}

export async function readSigningKeyFiles(
  configuredPath: string | undefined,
  copiedPath: string,
): Promise<SigningKeyFiles> {
  const configured = configuredPath === undefined ? undefined : await readFileWithPath(configuredPath);
  if (configuredPath !== undefined && configured === undefined) {
    throw new StartError(`--signing-key-file: ${configuredPath} does not exist`);
  }
  return { configured, copied: await readFileWithPath(copiedPath) };
}

/**
 * Throws StartError if a file contains a key that the installation has never used. The key of an outdated copy is
 * accepted, because the server may have been down during a rotation.
 */
export function assertSigningKeyFiles({ configured, copied }: SigningKeyFiles, known: SigningKeySet): void {
  if (configured !== undefined && !isKeyOfSet(known, configured.set.current.kid)) {
    throw new StartError(
      `--signing-key-file: ${configured.path} is not a signing key of this installation; ` +
        'use signing.key of another server, or start without the flag',
    );
  }
  if (copied !== undefined && !isKeyOfSet(known, copied.set.current.kid)) {
    throw new StartError(
      `${copied.path} is not a signing key of this installation; remove the file, and the server uses the key of the store`,
    );
  }
}

async function readFileWithPath(path: string): Promise<SigningKeyFile | undefined> {
  const set = await readSigningKeyFile(path);
  return set && { path, set };
}
