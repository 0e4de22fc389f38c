import { X509Certificate } from 'node:crypto';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { promptYesNo } from '../input/prompt-user.ts';
import { authorityOf, readAuthority } from './resolve-access.ts';
import type { ServerAddress } from './server-address.ts';
import { checkServerCertificate, fingerprintOf, type ServerCertificateAuthority } from './server-certificate.ts';

/**
 * Determines the CA that verifies the server: a given file, the CAs of the operating system, or the CA that the server
 * presents, after the user has confirmed its fingerprint. A confirmed CA is saved with the login, so that the user
 * confirms it only once.
 */
export async function chooseAuthority(
  address: ServerAddress,
  saved: string | undefined,
  call: CommandCall,
): Promise<string | undefined> {
  const { values, environment } = call;
  const file = values.text('ca-file');
  if (file !== undefined) return await readAuthority(file);
  const fromEnvironment = await authorityOf(environment);
  if (fromEnvironment !== undefined) return fromEnvironment;
  const peer = await checkServerCertificate(address.url, environment);
  if (peer.trusted) return undefined;
  const { authority } = peer;
  if (authority === undefined) {
    throw new CliError(
      `the certificate of ${address.url} is not trusted, and the server did not send its CA certificate`,
      {
        next: 'pass the CA certificate with --ca-file',
      },
    );
  }
  if (saved !== undefined && fingerprintOf(new X509Certificate(saved)) === authority.fingerprint) return saved;
  const expected = values.text('ca-fingerprint');
  if (expected !== undefined) {
    if (normalized(expected) === normalized(authority.fingerprint)) return authority.pem;
    throw new CliError(`the CA of ${address.url} has another fingerprint: ${authority.fingerprint}`, {
      exitCode: exitCodes.refused,
      next: 'do not continue unless you know why',
    });
  }
  return await confirmAuthority(authority, address, saved !== undefined, call);
}

async function confirmAuthority(
  authority: ServerCertificateAuthority,
  { url }: ServerAddress,
  isChanged: boolean,
  call: CommandCall,
): Promise<string> {
  const { terminal } = call;
  if (!terminal.canPrompt) {
    throw new CliError(
      `the certificate of ${url} is not trusted; the fingerprint of its CA is ${authority.fingerprint}`,
      {
        exitCode: exitCodes.refused,
        next: 'pass --ca-file, or --ca-fingerprint if this is the fingerprint that you expect',
      },
    );
  }
  terminal.printToStderr(
    `${isChanged ? terminal.stderrColors.bad(`The CA of ${url} differs from the saved one.`) : `The certificate of ${url} is not trusted.`}\n` +
      `  CA:           ${authority.subject}, valid until ${authority.validTo}\n` +
      `  fingerprint:  ${terminal.stderrColors.strong(authority.fingerprint)}\n` +
      '  (compare on the server: openssl x509 -noout -fingerprint -sha256 -in .flotilla/ca.crt)\n',
  );
  if (await promptYesNo('Trust this CA?', call)) return authority.pem;
  throw new CliError('login canceled; nothing was sent to the server', { exitCode: exitCodes.refused });
}

/** Removes the name of the hash algorithm and the colons, and converts to one case, for comparison. */
function normalized(fingerprint: string): string {
  return fingerprint
    .replace(/^sha-?256[: ]/i, '')
    .replaceAll(':', '')
    .toLowerCase();
}
