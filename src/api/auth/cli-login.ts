/*
 * Paths and documents of logins of the command line through the console: with a redirect to a loopback port, and with a
 * code that the user types (RFC 8628).
 */

/** GET: exists if the server has a console, whose pages can allow a login. */
export const cliLoginPath = '/auth/cli';
/** POST, from the console only: allows or denies a login with a redirect. */
export const cliGrantsPath = '/auth/cli/grants';
/** POST: exchanges the code of a redirect for an access key. */
export const cliTokenPath = '/auth/cli/token';
/** POST, with the key of a login of the command line: gives the login the value in the body, and a later end. */
export const renewLoginPath = '/auth/cli/renew';
/** POST: starts a login with a code that the user types. */
export const deviceCodePath = '/auth/device/code';
/** POST: asks whether the user has allowed the login, and returns its access key. */
export const deviceTokenPath = '/auth/device/token';
/** POST, from the console only: describes the login with a code. */
export const deviceRequestPath = '/auth/device/request';
/** POST, from the console only: allows or denies the login with a code. */
export const deviceDecisionPath = '/auth/device/decision';

/** The pages of the console on which users allow a login. */
export const authorizeCliPage = '/authorize-cli';
export const devicePage = '/device';

export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** The only address to which a browser is redirected: a port of the loopback interface. */
export function loopbackRedirect(port: number): string {
  return `http://127.0.0.1:${port}/callback`;
}

/** True for a port that a listener of an ordinary user can have. */
export function isLoopbackPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1024 && port <= 65_535;
}

/** The names of clients, which users see when they allow a login: host names. */
export function isClientName(name: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62})$/.test(name);
}

/** A random text in base64url of at least 128 bits, such as a state. */
export function isRandomText(text: string): boolean {
  return /^[A-Za-z0-9_-]{22,128}$/.test(text);
}

/** True for a code challenge of the method S256 (RFC 7636). */
export function isCodeChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Body of POST `/auth/cli/grants`. */
export interface CliConsent {
  readonly client: string;
  readonly challenge: string;
  readonly state: string;
  readonly port: number;
  readonly allow: boolean;
}

/** Response of POST `/auth/device/request`. */
export interface DeviceRequest {
  readonly client: string;
  /** The address from which the command line asked. */
  readonly address: string;
  readonly requested: string;
  readonly expires: string;
}

/** The letters of codes that users type: no vowels, so that codes contain no words, and nothing that looks like a digit. */
export const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
export const userCodeLength = 8;

/** Returns the letters of a code as a user typed it, in any case and with any separators. */
export function normalizeUserCode(typed: string): string {
  return typed
    .slice(0, 64)
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '');
}

/** Returns a code as it is shown to users: `BCDF-GHJK`. */
export function formatUserCode(code: string): string {
  return `${code.slice(0, userCodeLength / 2)}-${code.slice(userCodeLength / 2)}`;
}
