import { readIfExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { booleanSetting, listSetting, nestedSettings } from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

/** An app that signs users in through this server: a client in the terms of OpenID Connect. */
export interface OidcClient {
  readonly id: string;
  /** The name that the console shows. */
  readonly name: string;
  /** The file with the secret of the client; `undefined` for a public client, which uses PKCE alone. */
  readonly secretFile: string | undefined;
  readonly redirectUris: readonly string[];
  /** The addresses to which the browser may return after the app has signed its user out. */
  readonly postLogoutRedirectUris: readonly string[];
  /** The teams whose members may sign in. If empty, all users may sign in. */
  readonly allowedTeams: readonly string[];
  /** The lifetime of ID tokens and access tokens in seconds. */
  readonly tokenTTL: number;
  /** The longest time in seconds for which refresh tokens work. Refresh tokens also end with the login of the user. */
  readonly refreshTTL: number;
}

export interface OidcProviderSettings {
  readonly enabled: boolean;
  readonly clients: readonly OidcClient[];
}

export const oidcProviderSettings = nestedSettings({
  enabled: booleanSetting({
    default: false,
    meaning:
      'sign users in to other apps as an OpenID Connect provider; the issuer is the value of `--external-url`, which is required, with the path `/oidc`; needs the console',
  }),
  clients: listSetting<OidcClient>({
    default: [],
    meaning: 'the apps to which users can sign in',
    members: {
      id: 'client ID of the app; required',
      name: 'name of the app in the console (default: the ID)',
      secretFile:
        'file with the client secret, at least 32 characters; it is read at each use, so it can be replaced; without it, the app is a public client',
      redirectUris:
        'the URLs to which users may return from the sign-in, compared character by character; `https`, or `http` on a loopback address; required',
      postLogoutRedirectUris:
        'the URLs to which users may return after the app has signed them out, compared and restricted like `redirectUris` (default: none)',
      allowedTeams: 'teams whose members may sign in to the app (default: all users)',
      tokenTTL: 'lifetime of ID tokens and access tokens in seconds, 60 to 86400 (default 3600)',
      refreshTTL:
        'time in seconds for which the app can refresh tokens after a sign-in, 60 to 31622400 (default 604800); it also ends with the login of the user',
    },
    entry: readClient,
  }),
});

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const minSecretLength = 32;
const maxNameLength = 100;

function readClient(entry: SettingsReader): OidcClient {
  const id = entry.text('id') ?? '';
  if (!idPattern.test(id)) {
    throw new StartError(
      'every client under "auth.oidcProvider.clients" needs an "id" of at most 64 letters, digits, ".", "_" and "-"',
    );
  }
  const client: OidcClient = {
    id,
    name: entry.text('name') ?? id,
    secretFile: entry.text('secretFile'),
    redirectUris: entry.texts('redirectUris', redirectUriProblem) ?? [],
    postLogoutRedirectUris: entry.texts('postLogoutRedirectUris', redirectUriProblem) ?? [],
    allowedTeams: entry.texts('allowedTeams') ?? [],
    tokenTTL: entry.integer('tokenTTL', 60, 24 * 3600) ?? 3600,
    refreshTTL: entry.integer('refreshTTL', 60, 366 * 24 * 3600) ?? 7 * 24 * 3600,
  };
  if (client.redirectUris.length === 0) throw fault(id, 'needs "redirectUris"');
  if (client.name.trim() === '' || client.name.length > maxNameLength)
    throw fault(id, `needs a "name" of 1 to ${maxNameLength} characters`);
  return client;
}

function redirectUriProblem(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url === undefined || url.hostname === '' || uri.includes('*')) return 'is not the whole URL of a page';
  if (url.hash !== '' || uri.endsWith('#')) return 'has a fragment, which a redirect URI must not have';
  if (url.username !== '' || url.password !== '') return 'has a user name or a password';
  const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return undefined;
  return 'is not an https URL; http is allowed only for a loopback address';
}

/** The options that the provider depends on. */
interface ProviderRequirements {
  readonly auth: { readonly oidcProvider: OidcProviderSettings };
  readonly externalUrl: string | undefined;
  readonly console: { readonly enabled: boolean };
}

/** Throws StartError if the provider is enabled and cannot work with the other settings. */
export async function assertOidcProvider({ auth, externalUrl, console }: ProviderRequirements): Promise<void> {
  const { enabled, clients } = auth.oidcProvider;
  if (!enabled) return;
  if (externalUrl === undefined) {
    throw new StartError(
      'auth.oidcProvider needs --external-url: the issuer of its tokens is that URL with the path /oidc',
    );
  }
  if (!console.enabled) throw new StartError('auth.oidcProvider needs the console; set console.enabled to true');
  const ids = clients.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new StartError(`"auth.oidcProvider.clients": two clients have the id ${twice}`);
  for (const { id, secretFile } of clients) {
    if (secretFile === undefined) continue;
    const secret = await readIfExists(secretFile);
    if (secret === undefined) throw fault(id, `has a "secretFile" that does not exist: ${secretFile}`);
    if (secret.trim().length < minSecretLength)
      throw fault(id, `needs a secret of at least ${minSecretLength} characters in ${secretFile}`);
  }
}

function fault(id: string, text: string): StartError {
  return new StartError(`"auth.oidcProvider.clients": the client ${id} ${text}`);
}
