/*
 * Paths and documents of logins of the command line through the console: with a redirect to a loopback port, and with a
 * code that the user types (RFC 8628).
 */

/** GET: responds if the server has a console in which users can allow a login. Otherwise the path does not exist. */
export const cliLoginPath = '/auth/cli';
/** POST, from the console only: allows or denies a login with a redirect. */
export const cliGrantsPath = '/auth/cli/grants';
/** POST: exchanges the code of a redirect for an access key. */
export const cliTokenPath = '/auth/cli/token';
/**
 * POST, authenticated with the key of a command line login: replaces the key's value by the value in the body and
 * extends the login.
 */
export const renewLoginPath = '/auth/cli/renew';
/** POST: starts a login in which the user types a code. */
export const deviceCodePath = '/auth/device/code';
/** POST: responds with the access key of the login if the user has allowed the login. */
export const deviceTokenPath = '/auth/device/token';
/** POST, from the console only: describes the login that belongs to a code. */
export const deviceRequestPath = '/auth/device/request';
/** POST, from the console only: allows or denies the login that belongs to a code. */
export const deviceDecisionPath = '/auth/device/decision';

/** The pages of the console on which users allow a login. */
export const authorizeCliPage = '/authorize-cli';
export const devicePage = '/device';

export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Returns the address to which the browser is redirected after a login. It is always a port of the loopback interface.
 */
export function loopbackRedirect(port: number): string {
  return `http://127.0.0.1:${port}/callback`;
}

/** True for a port on which a program can listen without special privileges. */
export function isLoopbackPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1024 && port <= 65_535;
}

/** True for a valid client name, which users see when they allow a login. Client names are host names. */
export function isClientName(name: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62})$/.test(name);
}

/** True for a random text in base64url of at least 128 bits, such as a state. */
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
  /** The address from which the command line requested the login. */
  readonly address: string;
  readonly requested: string;
  readonly expires: string;
}

/**
 * The letters of codes that users type. There are no vowels, so that codes contain no words, and no letters that look
 * like digits.
 */
export const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
export const userCodeLength = 8;

/** Returns the letters of a code that a user typed, in any case and with any separators, in the canonical form. */
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
