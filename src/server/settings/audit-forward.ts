import type { ForwardSettings } from '../../audit/forward/forward-settings.ts';
import { isLoopbackHost } from '../../lib/loopback-host.ts';
import { StartError } from '../../process/start-error.ts';
import type { SettingsReader } from './settings-reader.ts';

const namePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Reads one target of `audit.forward` from the configuration file. */
export function readForwardTarget(entry: SettingsReader): ForwardSettings {
  const name = entry.text('name') ?? '';
  if (!namePattern.test(name)) {
    throw new StartError('every target under "audit.forward" needs a "name" of lower-case letters, digits and -');
  }
  const fault = (text: string) => new StartError(`"audit.forward": the target ${name} ${text}`);
  const type = entry.choice('type', ['webhook', 'syslog']);
  if (type === undefined) throw fault('needs a "type": webhook or syslog');
  const settings: ForwardSettings = {
    name,
    type,
    url: entry.text('url') ?? '',
    format: entry.choice('format', ['jsonl', 'list']) ?? 'jsonl',
    auth: entry.choice('auth', ['none', 'bearer', 'hmac']) ?? 'none',
    secretFile: entry.text('secretFile'),
    caFile: entry.text('caFile'),
    certFile: entry.text('certFile'),
    keyFile: entry.text('keyFile'),
  };
  const problem = problemOf(settings);
  if (problem !== undefined) throw fault(problem);
  return settings;
}

/** Throws StartError if two targets have the same name. */
export function assertDistinctTargets(targets: readonly ForwardSettings[]): void {
  const names = targets.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new StartError(`"audit.forward": two targets have the name ${twice}`);
}

/**
 * Returns the reason why a target is not valid. The reason does not contain the URL, which could contain a password.
 */
function problemOf({ type, url, auth, secretFile, certFile, keyFile }: ForwardSettings): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isWebhook = type === 'webhook';
  const isAllowed = isWebhook ? parsed?.protocol === 'https:' || isLoopbackHttp(parsed) : parsed?.protocol === 'tls:';
  if (parsed === undefined || !isAllowed || parsed.hostname === '') {
    return isWebhook
      ? 'needs a "url" such as https://siem.example.com/audit'
      : 'needs a "url" such as tls://syslog.example.com:6514';
  }
  if (parsed.username !== '' || parsed.password !== '')
    return 'must not have a user or password in its "url"; set "auth"';
  if (!isWebhook && auth !== 'none')
    return 'must not have "auth", because syslog has none; set "certFile" and "keyFile"';
  if (auth !== 'none' && secretFile === undefined) return `needs a "secretFile", because "auth" is ${auth}`;
  if (auth === 'none' && secretFile !== undefined) return 'has a "secretFile", but no "auth": set it to bearer or hmac';
  if ((certFile === undefined) !== (keyFile === undefined)) return 'needs both "certFile" and "keyFile", or neither';
  return undefined;
}

/** Plain HTTP is allowed only to a program on the same machine, such as a log shipper. */
function isLoopbackHttp(url: URL | undefined): boolean {
  return url?.protocol === 'http:' && isLoopbackHost(url.hostname);
}
