import { isMailAddress } from '../../api/mail/mail-address.ts';
import { isLoopbackHost } from '../../lib/loopback-host.ts';
import { StartError } from '../../process/start-error.ts';
import { booleanSetting, optionalTextSetting, readGroup, textListSetting } from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

/** The mail server to which notifications are sent, and the users who receive them. */
export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the first byte (`smtps`); `starttls`: TLS before anything else; `none`: no encryption. */
  readonly encryption: 'implicit' | 'starttls' | 'none';
  /** The account at the mail server; `undefined` if the mail server needs no account. */
  readonly account: { readonly user: string; readonly passwordFile: string } | undefined;
  readonly from: MailSender;
  readonly caFile: string | undefined;
  /** The domains of addresses that receive mails even if no identity provider has verified the address. */
  readonly trustedDomains: readonly string[];
}

/** The sender of all mails. */
export interface MailSender {
  readonly name: string;
  readonly address: string;
}

const domainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The settings of the group `mail`. */
export const mailFileSettings = {
  server: optionalTextSetting({
    takes: '`smtps://host:465`, or `smtp://host:587` with STARTTLS',
    describedDefault: 'none; the server sends no mails',
    meaning: 'the SMTP server to which notifications are sent for users',
  }),
  startTLS: booleanSetting({
    default: true,
    meaning:
      'require STARTTLS at a server with `smtp://`; if false, mails are sent without encryption, and `mail.user` needs a loopback address',
  }),
  user: optionalTextSetting({
    takes: 'a text',
    describedDefault: 'none; the server does not log in',
    meaning: 'the user name at the SMTP server',
  }),
  passwordFile: optionalTextSetting({
    takes: 'a path',
    describedDefault: 'none',
    meaning: 'file with the password of `mail.user`; it is read for each connection',
  }),
  from: optionalTextSetting({
    takes: 'an address such as `flotilla@example.com` or `Flotilla <flotilla@example.com>`',
    describedDefault: 'none; required if `mail.server` is set',
    meaning: 'the sender of all mails',
  }),
  caFile: optionalTextSetting({
    takes: 'a path',
    describedDefault: 'the CA certificates of Node.js',
    meaning: 'CA certificates that verify the SMTP server',
  }),
  trustedDomains: textListSetting({
    default: [],
    takes: 'a list of domains such as `example.com`',
    meaning:
      'domains of addresses that receive mails although no identity provider has verified them; users can set `spec.email` of their user to any address of these domains',
    validate: (domain) => (domainPattern.test(domain) ? undefined : 'is not a domain in lower case'),
  }),
};

/** Reads the group `mail`. Returns `undefined` if there is no mail server. */
export function readMailSettings(file: SettingsReader): MailSettings | undefined {
  const settings = readGroup(file, 'mail', mailFileSettings);
  const { server, user, passwordFile, caFile, startTLS, trustedDomains } = settings;
  if (server === undefined) {
    const other = (['user', 'passwordFile', 'from', 'caFile'] as const).find((name) => settings[name] !== undefined);
    if (other === undefined) return undefined;
    throw new StartError(`"mail.${other}" needs "mail.server", for example smtp://mail.example.com:587`);
  }
  if ((user === undefined) !== (passwordFile === undefined)) {
    throw new StartError('"mail" needs both "user" and "passwordFile", or neither');
  }
  const { protocol, hostname, port } = parseServer(server);
  const encryption = protocol === 'smtps:' ? 'implicit' : startTLS ? 'starttls' : 'none';
  if (encryption === 'none' && user !== undefined && !isLoopbackHost(hostname)) {
    throw new StartError('"mail.user" needs a connection with TLS; remove "startTLS: false"');
  }
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    encryption,
    account: user === undefined || passwordFile === undefined ? undefined : { user, passwordFile },
    from: parseSender(settings.from),
    caFile,
    trustedDomains,
  };
}

/** The message does not contain the URL, which could contain a password. */
function parseServer(text: string): { protocol: string; hostname: string; port: number } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed = url !== undefined && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '';
  if (!isAllowed || !['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') {
    throw new StartError('"mail.server" must be smtps://host:port or smtp://host:port');
  }
  if (url.username !== '' || url.password !== '') {
    throw new StartError('"mail.server" must not contain a user or password; set "user" and "passwordFile"');
  }
  const { protocol, hostname } = url;
  return { protocol, hostname, port: url.port === '' ? (protocol === 'smtps:' ? 465 : 587) : Number(url.port) };
}

function parseSender(text: string | undefined): MailSender {
  const [, name = '', inBrackets] = /^([^<>]*)<([^<>]*)>$/.exec(text ?? '') ?? [];
  const address = inBrackets ?? text ?? '';
  if (!isMailAddress(address) || /\p{Cc}/u.test(name)) {
    throw new StartError('"mail.from" must be an address such as flotilla@example.com');
  }
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}
