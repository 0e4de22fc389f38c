import { isJsonObject, type JsonObject } from '@flotilla/json';
import { load } from 'js-yaml';
import type { CredentialLimits } from '../../api/credential-limits.ts';
import { apiWord } from '../../api/naming.ts';
import type { ApiSet } from '../../api/storage/api-set.ts';
import type { AuditRule } from '../../audit/audit-policy.ts';
import type { ForwardSettings } from '../../audit/forward/forward-settings.ts';
import type { ConnectorSettings } from '../../auth/oidc/connector.ts';
import type { WorkloadIssuer } from '../../auth/workload/workload-issuer.ts';
import type { HelmSettings } from '../../hosts/kubernetes/release/helm-settings.ts';
import type { ConfiguredManagementSettings, ManagementSettings } from '../../management/settings.ts';
import type { LogLevel } from '../../process/open-log.ts';
import { readIfExists } from '../../process/private-dir.ts';
import {
  optionalOrigin,
  readCustomTlsFlags,
  readListenAddress,
  readLogLevel,
  readTlsNames,
} from '../../process/read-flags.ts';
import { StartError } from '../../process/start-error.ts';
import type { TracingSettings } from '../../process/tracing/tracing-settings.ts';
import type { EncryptedRows } from '../../seal/rows/row-cipher.ts';
import type { HistoryRetention } from '../../store/store.ts';
import { consoleDirectory } from '../console/console-directory.ts';
import type { FrontHandlerSettings } from '../front-handler.ts';
import { assertDistinctTargets } from './audit-forward.ts';
import { type BackupSettings, readBackupSettings } from './backup-settings.ts';
import { fileSettings } from './file-settings.ts';
import { defaultDataDir, defaultListen, type FlagName, type FlagValues } from './flags.ts';
import { type MailSettings, readMailSettings } from './mail-settings.ts';
import { readManagementSettings } from './management-settings.ts';
import { assertDistinctConnectors } from './oidc-file-settings.ts';
import { assertOidcProvider, type OidcProviderSettings } from './oidc-provider-settings.ts';
import type { PasswordSettings } from './password-settings.ts';
import { readGroup } from './setting-group.ts';
import { SettingsReader } from './settings-reader.ts';
import { assertExternalUrl, readStoreSettings, type StoreSettings } from './store-settings.ts';
import { readTracing } from './tracing-settings.ts';
import { completeWorkloadIssuers } from './workload-settings.ts';

/** The validated options of the server. Only this module reads flags and the configuration file. */
export interface ServerOptions {
  readonly dataDir: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** The address to listen on for other replicas; `undefined` for a free port on the host of `listen`. */
  readonly peerListen: { readonly host: string; readonly port: number } | undefined;
  /** The URL of the server in kubeconfigs, without a trailing slash; `undefined` for the listen address. */
  readonly externalUrl: string | undefined;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly tlsSan: readonly string[];
  readonly apiPrefix: string;
  readonly store: StoreSettings;
  readonly sealKeyFile: string | undefined;
  /** A file with the signing key of the installation; `undefined` for the key in the data directory or in the store. */
  readonly signingKeyFile: string | undefined;
  /**
   * The files with the certificate authority of the installation; `undefined` for the authority in the data directory
   * or in the store.
   */
  readonly authority: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly logLevel: LogLevel;
  readonly audit: {
    readonly maxBytes: number;
    readonly keptFiles: number;
    /** The maximum number of additional rotated files to keep while a forwarding target has not received them. */
    readonly heldFiles: number;
    /**
     * Applies if the audit line of a write cannot be written. `refuse` responds with 503; `continue` executes the write
     * and logs an error.
     */
    readonly onFailure: 'refuse' | 'continue';
    readonly rules: readonly AuditRule[];
    /** The systems that receive all lines of the audit log. */
    readonly forward: readonly ForwardSettings[];
  };
  /** The backups that the server makes itself; `undefined` if it makes none. */
  readonly backup: BackupSettings | undefined;
  readonly history: HistoryRetention;
  readonly etcd: { readonly maxRequestBytes: number };
  readonly encryption: {
    /** The rows that are encrypted; `undefined` to keep the choice of the installation. */
    readonly rows: EncryptedRows | undefined;
    /** The address of a KMS plugin, `unix:///…`. */
    readonly kms: string | undefined;
    readonly rootKey: 'kms' | 'file' | undefined;
  };
  readonly limits: CredentialLimits & {
    readonly bodyBytes: number;
    readonly readsInFlight: number;
    readonly writesInFlight: number;
  };
  readonly planes: {
    readonly memoryBytes: number;
    readonly maxBytes: number;
    readonly maxObjects: number;
    readonly maxTokenTTL: number;
    /** The addresses at which admission webhooks of virtual clusters may be called: CIDRs, or `public`. */
    readonly webhookAddresses: readonly string[];
    /** The set of kinds of new virtual clusters that do not choose a set. */
    readonly api: ApiSet;
    /** The number of worker threads; `undefined` for one per processor core. */
    readonly workers: number | undefined;
    readonly stallSeconds: number;
    readonly workerHeapBytes: number;
  };
  readonly auth: {
    readonly loginTTL: number;
    readonly renewedLoginTTL: number;
    readonly freshLoginSeconds: number;
    /** The connectors to OpenID Connect providers. */
    readonly oidc: readonly ConnectorSettings[];
    readonly password: PasswordSettings;
    /** The issuers whose tokens workloads can exchange for access keys. */
    readonly workloadIdentity: readonly WorkloadIssuer[];
    readonly oidcProvider: OidcProviderSettings;
  };
  readonly usage: { readonly sampleSeconds: number };
  readonly tracing: TracingSettings;
  /** The mail server for notifications; `undefined` if the server sends no mails. */
  readonly mail: MailSettings | undefined;
  readonly server: FrontHandlerSettings;
  readonly console: {
    readonly enabled: boolean;
    /** The directory from which the server reads the console. */
    readonly directory: string;
  };
  readonly management: ManagementSettings;
  readonly helm: HelmSettings;
}

/** The options as they were read. The defaults of some settings depend on the age of the installation. */
export type ConfiguredOptions = Omit<ServerOptions, 'management'> & {
  readonly management: ConfiguredManagementSettings;
};

/** Reads the options from flags and from the file that `config` names. Flags take precedence. */
export async function readOptions(flags: FlagValues): Promise<ConfiguredOptions> {
  const configFile = single(flags, 'config');
  const file = new SettingsReader(configFile ?? '', configFile === undefined ? {} : await readConfig(configFile));
  const text = (flag: FlagName, name: string): string | undefined => {
    const set = file.text(name);
    return single(flags, flag) ?? set;
  };

  const tlsSan = file.texts('tlsSan');
  const peerListen = text('peer-listen', 'peerListen');
  const externalUrl = optionalOrigin('external-url', text('external-url', 'externalUrl'));
  const auth = readGroup(file, 'auth', fileSettings.auth);
  const mail = readMailSettings(file);
  const options: ConfiguredOptions = {
    dataDir: text('data-dir', 'dataDir') ?? defaultDataDir,
    listen: readListenAddress(text('listen', 'listen') ?? defaultListen, defaultListen),
    peerListen: peerListen === undefined ? undefined : readListenAddress(peerListen, examplePeerListen, 'peer-listen'),
    externalUrl,
    tls: readCustomTlsFlags(text('tls-cert-file', 'tlsCertFile'), text('tls-key-file', 'tlsKeyFile')),
    tlsSan: readTlsNames(flags['tls-san'] ?? tlsSan ?? []),
    apiPrefix: parseApiPrefix(text('api-prefix', 'apiPrefix') ?? 'kubernetes'),
    store: readStoreSettings({
      store: text('store', 'store'),
      prefix: text('etcd-prefix', 'etcdPrefix'),
      caFile: text('etcd-ca-file', 'etcdCaFile'),
      certFile: text('etcd-cert-file', 'etcdCertFile'),
      keyFile: text('etcd-key-file', 'etcdKeyFile'),
      username: text('etcd-username', 'etcdUsername'),
      passwordFile: text('etcd-password-file', 'etcdPasswordFile'),
    }),
    sealKeyFile: text('seal-key-file', 'sealKeyFile'),
    signingKeyFile: text('signing-key-file', 'signingKeyFile'),
    authority: readAuthorityFlags(text('ca-cert-file', 'caCertFile'), text('ca-key-file', 'caKeyFile')),
    logLevel: readLogLevel(text('log-level', 'logLevel') ?? 'info'),
    audit: readGroup(file, 'audit', fileSettings.audit),
    backup: readBackupSettings(file),
    history: readHistory(file),
    etcd: readGroup(file, 'etcd', fileSettings.etcd),
    encryption: readEncryption(file),
    limits: readGroup(file, 'limits', fileSettings.limits),
    planes: readGroup(file, 'planes', fileSettings.planes),
    auth: { ...auth, workloadIdentity: await completeWorkloadIssuers(auth.workloadIdentity, externalUrl) },
    usage: readGroup(file, 'usage', fileSettings.usage),
    tracing: readTracing(file),
    mail,
    server: readFrontHandlerSettings(file, externalUrl),
    console: { ...readGroup(file, 'console', fileSettings.console), directory: consoleDirectory() },
    management: {
      ...readManagementSettings(file, auth),
      ...(mail && { mail: { trustedDomains: mail.trustedDomains } }),
    },
    helm: { ...readGroup(file, 'helm', fileSettings.helm), environment: helmEnvironment() },
  };
  assertApiWord(readGroup(file, 'api', fileSettings.api).word);
  assertDistinctTargets(options.audit.forward);
  assertDistinctConnectors(auth.oidc);
  file.finish();
  if (typeof options.store === 'string' && options.peerListen !== undefined) {
    throw new StartError('--peer-listen needs --store with the addresses of etcd');
  }
  assertExternalUrl(options.store, options.externalUrl, options.listen.host);
  await assertOidcProvider(options);
  return options;
}

function readEncryption(file: SettingsReader): ServerOptions['encryption'] {
  const settings = readGroup(file, 'encryption', fileSettings.encryption);
  const { kms, rootKey } = settings;
  if (kms !== undefined && !/^unix:\/\/\/[^/]/.test(kms)) {
    throw new StartError(`encryption.kms: "${kms}" must be unix:/// and the path of a socket`);
  }
  if (kms === undefined && rootKey === 'kms') throw new StartError('encryption.rootKey: kms needs encryption.kms');
  return settings;
}

/**
 * Throws if the word differs from the API word of this process, which `flotilla start` has already chosen
 * (`chooseApiWord`).
 */
function assertApiWord(word: string | undefined): void {
  if (word === undefined || word === apiWord) return;
  throw new StartError(`api.word is "${word}", but this process was started with the API word "${apiWord}"`);
}

const examplePeerListen = '10.0.0.5:8445';

function readAuthorityFlags(certFile: string | undefined, keyFile: string | undefined): ServerOptions['authority'] {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined) throw new StartError('--ca-key-file needs --ca-cert-file');
  if (keyFile === undefined) throw new StartError('--ca-cert-file needs --ca-key-file');
  return { certFile, keyFile };
}

/** The environment variables that helm receives: paths of programs and temporary files, and proxy settings. */
const helmVariables: readonly string[] = [
  ...['PATH', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
];

function helmEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    helmVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

async function readConfig(path: string): Promise<JsonObject> {
  const text = await readIfExists(path);
  if (text === undefined) throw new StartError(`configuration file ${path} not found`);
  let value: unknown;
  try {
    value = load(text);
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new StartError(`${path} is not valid YAML: ${line}`, { cause: error });
  }
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw new StartError(`${path} must be a map of settings`);
  return value;
}

/** The lifetime of the Strict-Transport-Security header of a server with an external URL: a year. */
const defaultHstsSeconds = 365 * 24 * 3600;

/**
 * Reads the settings of the front handler. HSTS needs an external URL: without one, browsers would apply HSTS to all
 * ports of `localhost`.
 */
function readFrontHandlerSettings(file: SettingsReader, externalUrl: string | undefined): FrontHandlerSettings {
  const { trustedProxies, hstsSeconds } = readGroup(file, 'server', fileSettings.server);
  return { trustedProxies, hstsSeconds: hstsSeconds ?? (externalUrl === undefined ? 0 : defaultHstsSeconds) };
}

function readHistory(file: SettingsReader): HistoryRetention {
  const { seconds, changes } = readGroup(file, 'history', fileSettings.history);
  return { ageMilliseconds: seconds * 1000, changes };
}

function single(flags: FlagValues, name: FlagName): string | undefined {
  const value = flags[name];
  return typeof value === 'object' ? value.at(-1) : value;
}

/** First path segments that the server uses itself, so `--api-prefix` cannot be one of them. */
const reservedPrefixes: readonly string[] = [
  'version',
  'healthz',
  'livez',
  'readyz',
  'metrics',
  'auth',
  'oidc',
  'backup',
  'backups',
  'mail',
  'assets',
];

function parseApiPrefix(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text) || reservedPrefixes.includes(text)) {
    throw new StartError(
      `--api-prefix: "${text}" is reserved, or is not a path segment of lower-case letters, digits and -`,
    );
  }
  return text;
}
