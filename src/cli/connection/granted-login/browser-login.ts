import { createHash, randomBytes } from 'node:crypto';
import { authorizeCliPage, cliTokenPath, loopbackRedirect } from '../../../api/auth/cli-login.ts';
import { CliError, exitCodes } from '../../cli-error.ts';
import type { ServerApi } from '../server-api.ts';
import { clientName, type GrantedLogin, type LoginCall, oauthErrorOf, readGrantedLogin } from './granted-login.ts';
import { listenOnLoopback } from './loopback-listener.ts';
import { openBrowser } from './open-browser.ts';

/**
 * Logs in through the user's browser: opens a page of the console, on which the user allows the login, and receives the
 * code at a loopback port (authorization code with PKCE, RFC 8252).
 */
export async function logInWithBrowser(api: ServerApi, call: LoginCall): Promise<GrantedLogin> {
  const { terminal, environment, interrupted } = call;
  const [state, verifier] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64url'));
  const listener = await listenOnLoopback(state ?? '', interrupted);
  try {
    const { url } = api.access;
    const page = pageUrl(url, { state: state ?? '', verifier: verifier ?? '', port: listener.port });
    const isOpened = await openBrowser(page, environment);
    terminal.printToStderr(
      isOpened
        ? `Allow the login in your browser. If no page has opened, open this address:\n\n  ${page}\n\n`
        : `Open this address in a browser on this machine to log in:\n\n  ${page}\n\n`,
    );
    terminal.printToStderr(
      `Press Ctrl-C to cancel. Without a browser on this machine, use: flotilla login ${url} --no-browser\n`,
    );
    const code = await listener.code;
    const form = {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier ?? '',
      redirect_uri: loopbackRedirect(listener.port),
    };
    return readGrantedLogin(await api.json({ method: 'POST', path: cliTokenPath, form, signal: interrupted }));
  } catch (error) {
    if (oauthErrorOf(error) === undefined) throw error;
    throw new CliError('the server rejected the login: its code was used, has expired, or the session has ended', {
      exitCode: exitCodes.refused,
      next: 'log in again',
      cause: error,
    });
  } finally {
    listener.close();
  }
}

interface PageParameters {
  readonly state: string;
  readonly verifier: string;
  readonly port: number;
}

function pageUrl(server: string, { state, verifier, port }: PageParameters): string {
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = new URLSearchParams({ client: clientName(), port: String(port), state, challenge });
  return `${server}${authorizeCliPage}?${query}`;
}
