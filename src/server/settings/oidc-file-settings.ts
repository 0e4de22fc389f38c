import type { JsonObject } from '@flotilla/json';
import type { ConnectorSettings } from '../../auth/oidc/connector.ts';
import { issuerProblem } from '../../auth/oidc/issuer-url.ts';
import { isReservedGroup, isReservedGroupsPrefix } from '../../auth/oidc/reserved-groups.ts';
import { StartError } from '../../process/start-error.ts';
import { listSetting } from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

const defaultScopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access'];
const defaultClaims = { user: 'preferred_username', email: 'email', groups: 'groups' };
const defaultRefreshSeconds = 300;
const defaultUnavailableSeconds = 24 * 3600;

/** The setting `auth.oidc`. */
export const oidcSetting = listSetting<ConnectorSettings>({
  default: [],
  meaning: 'the OpenID Connect providers with which people can sign in; set `--external-url` too',
  members: {
    name: 'name of the connector, a DNS label; it is part of the redirect URI `<external URL>/auth/oidc/<name>/callback`, which must be registered at the provider; required',
    displayName: 'name of the provider on the sign-in page (default: the name of the connector)',
    issuer:
      'issuer of the provider, exactly as its discovery document contains it, such as `https://login.example.com`; `http` only for a loopback address; required',
    clientId: 'client ID of this server at the provider; required',
    clientSecretFile:
      'file with the client secret; it is read for each request to the token endpoint (default: none, for a public client)',
    scopes: `scopes to request (default \`${defaultScopes.join(' ')}\`); without \`offline_access\`, most providers issue no refresh token, and groups are refreshed only at the next sign-in`,
    caFile: 'CA certificates that verify the provider (default: the CA certificates of Node.js)',
    claims: `map with the names of the claims for \`user\` (default \`${defaultClaims.user}\`), \`email\` (default \`${defaultClaims.email}\`) and \`groups\` (default \`${defaultClaims.groups}\`); \`a.b\` is the member \`b\` of the claim \`a\``,
    allowedGroups: 'people who are in none of these groups are refused (default: no restriction)',
    allowedDomains:
      'people whose email address is not verified or has another domain are refused (default: no restriction)',
    groupsPrefix:
      'prefix of the names of the groups that users have in clusters and can give to access keys, such as `company:`; set it if there are several connectors, so that each has groups of its own; `allowedGroups`, `groupsToTeams` and `adminGroups` contain the names without it (default: none)',
    groupsToTeams:
      'map of groups to the names of teams (a name or a list); members of the group are members of the teams',
    adminGroups: 'members of these groups are administrators',
    createUsers: 'create a user at the first sign-in (default `true`)',
    refreshSeconds: `interval in seconds at which groups are refreshed, 60 to 86400 (default \`${defaultRefreshSeconds}\`)`,
    unavailableSeconds: `time in seconds for which logins stay valid while the provider does not respond (default \`${defaultUnavailableSeconds}\`)`,
  },
  entry: readConnector,
});

/** Throws StartError if two connectors have the same name. */
export function assertDistinctConnectors(connectors: readonly ConnectorSettings[]): void {
  const names = connectors.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new StartError(`"auth.oidc": two connectors have the name ${twice}; give each its own "name"`);
}

function readConnector(entry: SettingsReader): ConnectorSettings {
  const name = entry.text('name', nameProblem);
  if (name === undefined) throw new StartError('every connector under "auth.oidc" needs a "name", such as company');
  const required = (text: string | undefined, field: string, example: string): string => {
    if (text !== undefined) return text;
    throw new StartError(`"auth.oidc": the connector ${name} needs "${field}", such as ${example}`);
  };
  const clientSecretFile = entry.text('clientSecretFile', emptyProblem);
  const caFile = entry.text('caFile', emptyProblem);
  const groupsPrefix = entry.text('groupsPrefix', groupsPrefixProblem);
  return {
    name,
    displayName: entry.text('displayName', textProblem) ?? name,
    issuer: required(entry.text('issuer', issuerProblem), 'issuer', 'https://login.example.com'),
    clientId: required(entry.text('clientId', textProblem), 'clientId', 'flotilla'),
    ...(clientSecretFile === undefined ? {} : { clientSecretFile }),
    scopes: readScopes(entry),
    ...(caFile === undefined ? {} : { caFile }),
    claims: readClaims(entry.group('claims')),
    allowedGroups: entry.texts('allowedGroups', groupProblem) ?? [],
    allowedDomains: (entry.texts('allowedDomains', domainProblem) ?? []).map((domain) => domain.toLowerCase()),
    ...(groupsPrefix === undefined ? {} : { groupsPrefix }),
    groupsToTeams: readGroupsToTeams(entry),
    adminGroups: entry.texts('adminGroups', groupProblem) ?? [],
    createUsers: entry.flag('createUsers') ?? true,
    refreshSeconds: entry.integer('refreshSeconds', 60, 24 * 3600) ?? defaultRefreshSeconds,
    unavailableSeconds: entry.integer('unavailableSeconds', 0, 366 * 24 * 3600) ?? defaultUnavailableSeconds,
  };
}

function readScopes(entry: SettingsReader): readonly string[] {
  const scopes = entry.texts('scopes', scopeProblem) ?? defaultScopes;
  return scopes.includes('openid') ? scopes : ['openid', ...scopes];
}

function readClaims(claims: SettingsReader): ConnectorSettings['claims'] {
  const read = {
    user: claims.text('user', textProblem) ?? defaultClaims.user,
    email: claims.text('email', textProblem) ?? defaultClaims.email,
    groups: claims.text('groups', textProblem) ?? defaultClaims.groups,
  };
  claims.finish();
  return read;
}

function readGroupsToTeams(entry: SettingsReader): ConnectorSettings['groupsToTeams'] {
  const map = entry.map('groupsToTeams', groupsToTeamsProblem) ?? {};
  return Object.fromEntries(Object.entries(map).map(([group, teams]) => [group, teamsOf(teams) ?? []]));
}

function groupsToTeamsProblem(map: JsonObject): string | undefined {
  for (const [group, teams] of Object.entries(map)) {
    const problem = groupProblem(group);
    if (problem !== undefined) return `contains the group ${JSON.stringify(group)}, which ${problem}`;
    if (teamsOf(teams) === undefined) {
      return `must contain the name of a team or a list of names for the group ${JSON.stringify(group)}`;
    }
  }
  return undefined;
}

function teamsOf(value: JsonObject[string]): readonly string[] | undefined {
  const teams = Array.isArray(value) ? value : [value];
  return teams.every((team): team is string => typeof team === 'string' && teamPattern.test(team)) ? teams : undefined;
}

const labelPattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const teamPattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const domainPattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/i;
const groupsPrefixPattern = /^[a-z0-9][-a-z0-9._:/]{0,62}$/i;
/** The characters of a scope (RFC 6749, 3.3). */
const scopePattern = /^[!#-[\]-~]{1,256}$/;

function nameProblem(name: string): string | undefined {
  return labelPattern.test(name)
    ? undefined
    : `is ${JSON.stringify(name)}, but must be a DNS label: at most 63 lower-case letters, digits and -, such as company`;
}

function emptyProblem(text: string): string | undefined {
  return text === '' ? 'must not be empty; remove it, or set the path of a file' : undefined;
}

function textProblem(text: string): string | undefined {
  return text !== '' && text.length <= 256 ? undefined : 'must have 1 to 256 characters';
}

function scopeProblem(scope: string): string | undefined {
  return scopePattern.test(scope) ? undefined : 'is not a scope; write one scope per entry of the list';
}

function domainProblem(domain: string): string | undefined {
  return domainPattern.test(domain) ? undefined : 'is not a domain such as example.com';
}

function groupsPrefixProblem(prefix: string): string | undefined {
  if (!groupsPrefixPattern.test(prefix))
    return 'must have 1 to 63 letters, digits and characters of -._:/, and begin with a letter or digit, such as company:';
  return isReservedGroupsPrefix(prefix) ? 'is reserved, or is the beginning of a reserved prefix' : undefined;
}

function groupProblem(group: string): string | undefined {
  if (group === '' || group.length > 256) return 'must have 1 to 256 characters';
  return isReservedGroup(group) ? 'has a reserved prefix, so that no provider can give it to a person' : undefined;
}
