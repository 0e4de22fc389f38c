import { X509Certificate } from 'node:crypto';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { askYesNo } from '../input/ask-user.ts';
import { fingerprintOf, lookAtPeer, type PeerAuthority } from './peer-authority.ts';
import { authorityOf, readAuthority } from './resolve-access.ts';
import type { ServerAddress } from './server-address.ts';

/**
 * Whose signature makes the server trusted: a file that was given, the operating system's authorities, or the authority
 * that the server shows, after somebody has looked at its fingerprint. What was agreed to once is kept and not asked again.
 */
export async function chooseAuthority(
  address: ServerAddress,
  known: string | undefined,
  call: CommandCall,
): Promise<string | undefined> {
  const { values, environment } = call;
  const file = values.text('ca-file');
  if (file !== undefined) return await readAuthority(file);
  const fromEnvironment = await authorityOf(environment);
  if (fromEnvironment !== undefined) return fromEnvironment;
  const peer = await lookAtPeer(address.url, environment);
  if (peer.trusted) return undefined;
  const { authority } = peer;
  if (authority === undefined) {
    throw new CliError(`the certificate of ${address.url} is not trusted, and its authority was not sent along`, {
      next: 'give the file of that authority with --ca-file',
    });
  }
  if (known !== undefined && fingerprintOf(new X509Certificate(known)) === authority.fingerprint) return known;
  const expected = values.text('ca-fingerprint');
  if (expected !== undefined) {
    if (bare(expected) === bare(authority.fingerprint)) return authority.pem;
    throw new CliError(`the authority of ${address.url} is another one: ${authority.fingerprint}`, {
      exitCode: exitCodes.refused,
      next: 'do not go on unless you know why',
    });
  }
  return await askAbout(authority, address, known !== undefined, call);
}

async function askAbout(
  authority: PeerAuthority,
  { url }: ServerAddress,
  isChanged: boolean,
  call: CommandCall,
): Promise<string> {
  const { terminal } = call;
  if (!terminal.asks) {
    throw new CliError(`the certificate of ${url} is not trusted: ${authority.fingerprint}`, {
      exitCode: exitCodes.refused,
      next: 'give --ca-file, or --ca-fingerprint if that is the one you expect',
    });
  }
  terminal.remark(
    `${isChanged ? terminal.remarkColours.bad(`The authority of ${url} is not the one that was kept.`) : `The certificate of ${url} is not known here.`}\n` +
      `  authority:    ${authority.subject}, until ${authority.validTo}\n` +
      `  fingerprint:  ${terminal.remarkColours.strong(authority.fingerprint)}\n` +
      '  (on the server: openssl x509 -noout -fingerprint -sha256 -in .flotilla/ca.crt)\n',
  );
  if (await askYesNo('Trust it from now on?', call)) return authority.pem;
  throw new CliError('nothing was sent to the server', { exitCode: exitCodes.refused });
}

/** Without the name of the hash, colons and case. */
function bare(fingerprint: string): string {
  return fingerprint
    .replace(/^sha-?256[: ]/i, '')
    .replaceAll(':', '')
    .toLowerCase();
}
