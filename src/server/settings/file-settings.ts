import { apiWordVariable, defaultApiWord } from '../../api/api-word.ts';
import { defaultCredentialLimits } from '../../api/credential-limits.ts';
import { apiSets } from '../../api/storage/api-set.ts';
import { defaultWorkerLimits } from '../../builtin/workers/default-limits.ts';
import { defaultMaxObjects } from '../../controlplane/fleet/size-limit.ts';
import { assertWebhookAddress, publicAddresses } from '../../controlplane/webhooks/webhook-addresses.ts';
import { defaultManagementSettings, type ManagementSettings } from '../../management/settings.ts';
import { StartError } from '../../process/start-error.ts';
import { defaultHistoryRetention } from '../../store/store.ts';
import { auditFileSettings } from './audit-file-settings.ts';
import { backupFileSettings } from './backup-settings.ts';
import { helmFileSettings } from './helm-file-settings.ts';
import { hostFileSettings } from './host-file-settings.ts';
import { instanceLimitSettings } from './instance-limit-settings.ts';
import { mailFileSettings } from './mail-settings.ts';
import { oidcSetting } from './oidc-file-settings.ts';
import { oidcProviderSettings } from './oidc-provider-settings.ts';
import { passwordSettings } from './password-settings.ts';
import {
  addressListSetting,
  booleanSetting,
  choiceSetting,
  integerSetting,
  listSetting,
  optionalChoiceSetting,
  optionalIntegerSetting,
  optionalTextSetting,
  textsSetting,
} from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';
import { tracingFileSettings } from './tracing-settings.ts';
import { workloadIdentitySetting } from './workload-settings.ts';

/** The definitions of all settings that have no flag, by group. */
export const fileSettings = {
  api: {
    word: optionalTextSetting({
      takes: '1 to 20 lower-case letters and digits, the first of them a letter',
      describedDefault: `the environment variable \`${apiWordVariable}\`, or \`${defaultApiWord}\``,
      meaning:
        'the word in all names of the API: groups `management.<word>.sh`, namespaces `<word>-p-<project>`, labels and annotations `<word>.sh/…`; set it before the first start; a later start with another word is refused',
    }),
  },
  audit: auditFileSettings,
  backup: backupFileSettings,
  history: {
    seconds: integerSetting({
      least: 1,
      default: defaultHistoryRetention.ageMilliseconds / 1000,
      meaning: 'how long changes are retained, in seconds; watches can resume and lists can continue within this time',
    }),
    changes: integerSetting({
      least: 1,
      default: defaultHistoryRetention.changes,
      meaning: 'number of newest changes that are retained regardless of their age',
    }),
  },
  etcd: {
    maxRequestBytes: integerSetting({
      least: 1024 * 1024,
      default: 1.5 * 1024 * 1024,
      meaning:
        'largest request that etcd accepts, in bytes: the value of its flag `--max-request-bytes`; an object may be 256 KiB smaller than this, and a Secret a quarter smaller still, because it is sealed; larger objects get 413',
    }),
  },
  encryption: {
    rows: optionalChoiceSetting(['all', 'secrets'], {
      describedDefault: '`secrets`, or what the last `flotilla seal rotate` used',
      meaning:
        'the values in the store that the server encrypts: all of them, or only secrets; after a change, `flotilla seal rotate` applies it to the existing rows',
    }),
    kms: optionalTextSetting({
      takes: "the address of a plugin with Kubernetes' KMS v2 API: `unix:///` and the path of its socket",
      describedDefault: 'none; the seal key file is used',
      meaning: 'the KMS plugin that encrypts the keys of the store; every server needs a plugin with the same keys',
    }),
    rootKey: optionalChoiceSetting(['kms', 'file'], {
      describedDefault: '`kms` if `encryption.kms` is set, otherwise `file`',
      meaning:
        'the root key with which the next `flotilla seal rotate` encrypts the keys of the store: in the KMS or in the seal key file; the server uses the other one only to decrypt, so an installation can move between them',
    }),
  },
  /** The limits of request processing (completions §10). */
  limits: {
    bodyBytes: integerSetting({
      least: 1024,
      most: 1024 * 1024 * 1024,
      default: 3 * 1024 * 1024,
      meaning: 'maximum size of a request body in bytes; larger requests get 413',
    }),
    readsInFlight: integerSetting({
      least: 1,
      default: 400,
      meaning: 'maximum number of concurrent reads; further reads are queued, and get 429 when the queue is full',
    }),
    writesInFlight: integerSetting({
      least: 1,
      default: 200,
      meaning: 'maximum number of concurrent writes; further writes are queued, and get 429 when the queue is full',
    }),
    requestsPerSecond: integerSetting({
      least: 0,
      default: defaultCredentialLimits.requestsPerSecond,
      meaning:
        'maximum requests per second of one access key; further requests get 429; unscoped keys of admins are exempt; 0: no limit',
    }),
    requestBurst: integerSetting({
      least: 1,
      default: defaultCredentialLimits.requestBurst,
      meaning: 'number of requests that an access key may send at once after a pause, above `limits.requestsPerSecond`',
    }),
    watchesPerKey: integerSetting({
      least: 0,
      default: defaultCredentialLimits.watchesPerKey,
      meaning:
        'maximum number of open watches of one access key; further watches get 429; unscoped keys of admins are exempt; 0: no limit',
    }),
    watchesPerUser: integerSetting({
      least: 0,
      default: defaultCredentialLimits.watchesPerUser,
      meaning:
        'maximum number of open watches of one user with all access keys, or of all service accounts of one virtual cluster; further watches get 429; unscoped keys of admins are exempt; 0: no limit',
    }),
    watchesPerConnection: integerSetting({
      least: 0,
      default: defaultCredentialLimits.watchesPerConnection,
      meaning:
        'maximum number of open watches on one HTTP/2 connection; further watches get 429; unscoped keys of admins are exempt; 0: no limit',
    }),
  },
  planes: {
    workers: optionalIntegerSetting({
      least: 0,
      describedDefault: 'the number of processor cores',
      meaning:
        'number of worker threads that run virtual clusters; 0: they run on the main thread, where one busy virtual cluster delays all others',
    }),
    stallSeconds: integerSetting({
      least: 1,
      most: 600,
      default: defaultWorkerLimits.stallSeconds,
      meaning:
        'time in seconds after which a worker thread that does not respond is replaced; requests to its virtual clusters get 503 meanwhile',
    }),
    workerHeapBytes: integerSetting({
      least: 64 * 1024 * 1024,
      default: defaultWorkerLimits.heapBytes,
      meaning:
        'maximum heap in bytes of one worker thread; a thread that needs more is replaced, and the server continues',
    }),
    memoryBytes: integerSetting({
      least: 1024 * 1024,
      default: 64 * 1024 * 1024,
      meaning:
        'memory budget in bytes for virtual clusters that are not in use; beyond it, the least recently used ones are unloaded to disk until their next use; the most recently used one always stays in memory',
    }),
    maxBytes: integerSetting({
      least: 1024 * 1024,
      default: 512 * 1024 * 1024,
      meaning:
        'maximum memory in bytes for the objects of one virtual cluster; when it is reached, writes that need more memory get 403',
    }),
    maxObjects: integerSetting({
      least: 100,
      default: defaultMaxObjects,
      meaning: 'maximum number of objects of one virtual cluster; when it is reached, creates get 403',
    }),
    webhookAddresses: textsSetting({
      takes: 'a list of CIDRs; `public` stands for all public addresses',
      default: [publicAddresses],
      meaning:
        'the addresses at which the server may call admission webhooks of virtual clusters; tenants choose the URLs, so add private ranges only if all tenants may send requests to them; with an empty list, the server calls no webhooks',
      check: assertWebhookAddress,
    }),
    maxTokenTTL: integerSetting({
      least: 600,
      most: 366 * 24 * 3600,
      default: 30 * 24 * 3600,
      meaning:
        'maximum lifetime of service account tokens in seconds; a request for a longer one gets this lifetime and a warning',
    }),
    api: choiceSetting(apiSets, {
      default: 'full',
      meaning:
        'set of kinds of new virtual clusters on the built-in cluster whose template does not set `api`; `full`: also other built-in kinds of Kubernetes, which are stored but not acted on',
    }),
  },
  auth: {
    loginTTL: integerSetting({
      least: 60,
      most: 366 * 24 * 3600,
      default: 20 * 24 * 3600,
      meaning: 'lifetime of a login in seconds; limited by `accessKeys.maxTTL`',
    }),
    renewedLoginTTL: integerSetting({
      least: 0,
      most: 366 * 24 * 3600,
      default: 90 * 24 * 3600,
      meaning:
        'longest time in seconds from a sign-in to the end of its logins of the command line, which renew themselves until then, by `auth.loginTTL` at a time, as long as the identity provider or the settings for passwords confirm the person; limited by `accessKeys.maxTTL`; 0: they are not renewed',
    }),
    freshLoginSeconds: integerSetting({
      least: 0,
      most: 24 * 3600,
      default: defaultManagementSettings.auth.freshLoginSeconds,
      meaning:
        'maximum age in seconds of a login (with a password or through an identity provider) that may set passwords, create access keys that outlive the login or have no scope or expiry, and extend access keys; older logins and access keys get 403, except the first key of the administrator; 0: no such check',
    }),
    oidc: oidcSetting,
    password: passwordSettings,
    workloadIdentity: workloadIdentitySetting,
    oidcProvider: oidcProviderSettings,
  },
  usage: {
    sampleSeconds: integerSetting({
      least: 1,
      most: 300,
      default: 60,
      meaning:
        'time in seconds between two measurements of usage; a shorter time shows usage sooner and sends more requests to connected clusters, but does not change the length of samples',
    }),
  },
  tracing: tracingFileSettings,
  mail: mailFileSettings,
  server: {
    trustedProxies: addressListSetting({
      default: [],
      meaning:
        'addresses of proxies and load balancers in front of the server; the server takes the address of the client from their `X-Forwarded-For` header, for the audit log, the limits per address and `spec.allowedCIDRs`; it ignores the header of other senders',
    }),
    hstsSeconds: optionalIntegerSetting({
      least: 0,
      describedDefault: '`31536000` with `--external-url`, otherwise `0`',
      meaning:
        'lifetime in seconds of the header `Strict-Transport-Security`, which makes browsers use only TLS for all ports of this host; 0: the header is not sent',
    }),
  },
  console: {
    enabled: booleanSetting({
      default: true,
      meaning:
        'serve the web console at `/` and allow browsers to sign in; if false, the server accepts no cookies as credentials',
    }),
  },
  accessKeys: {
    maxTTL: optionalIntegerSetting({
      least: 0,
      describedDefault: '`31536000` (365 days); `0` if the installation was created by a version without this default',
      meaning:
        'maximum lifetime of a key in seconds, and the lifetime of keys that set none; 0: no limit, keys without expiry are allowed',
    }),
    maxUnscopedTTL: optionalIntegerSetting({
      least: 0,
      describedDefault: '`7776000` (90 days); `0` if the installation was created by a version without this default',
      meaning: 'maximum lifetime of a key without a scope in seconds; 0: only `accessKeys.maxTTL` applies',
    }),
    teamKeysFollowMaker: booleanSetting({
      default: defaultManagementSettings.accessKeys.teamKeysFollowMaker,
      meaning:
        'disable a key of a team after its creator leaves the team, is disabled or is deleted; a member who enables the key or replaces its value takes the place of the creator; keys without a recorded creator, and keys whose creator was not a member, are not affected',
    }),
    teamKeyGraceSeconds: integerSetting({
      least: 0,
      most: 366 * 24 * 3600,
      default: defaultManagementSettings.accessKeys.teamKeyGraceSeconds,
      meaning: 'time in seconds after which such a key is disabled; until then, its status announces this',
    }),
    perUser: integerSetting({
      least: 1,
      default: defaultManagementSettings.accessKeys.perUser,
      meaning:
        'maximum number of keys of a user, a team or a subject; logins and expired keys do not count; a create beyond it gets 403',
    }),
  },
  instances: instanceLimitSettings('instances'),
  spaces: instanceLimitSettings('spaces'),
  projects: {
    selfService: booleanSetting({
      default: defaultManagementSettings.projects.selfService,
      meaning: 'allow all users to create projects, which they then administer; admins can always create projects',
    }),
    maxSecrets: integerSetting({
      least: 0,
      default: defaultManagementSettings.projects.maxSecrets,
      meaning:
        'maximum number of Secrets of a project; a create beyond it gets 403; unscoped keys of admins are exempt; 0: no limit',
    }),
    maxConfigMaps: integerSetting({
      least: 0,
      default: defaultManagementSettings.projects.maxConfigMaps,
      meaning:
        'maximum number of ConfigMaps of a project; a create beyond it gets 403; unscoped keys of admins are exempt; 0: no limit',
    }),
    maxConfigBytes: integerSetting({
      least: 0,
      default: defaultManagementSettings.projects.maxConfigBytes,
      meaning:
        'maximum size of all Secrets and ConfigMaps of a project in bytes of JSON; a write that adds to it gets 403; unscoped keys of admins are exempt; 0: no limit',
    }),
  },
  charts: {
    allowed: listSetting({
      default: defaultManagementSettings.charts.allowed,
      meaning: 'the charts that templates may use',
      members: { name: 'chart name; required', repo: 'chart repository; required' },
      entry: readChart,
    }),
  },
  hosts: hostFileSettings,
  helm: helmFileSettings,
  webhooks: {
    addresses: textsSetting({
      takes: 'a list of CIDRs; `public` stands for all public addresses',
      default: defaultManagementSettings.webhooks.addresses,
      meaning:
        'the addresses to which the server may send activity records (webhooks of projects); admins of projects choose the URLs, so add private ranges only if all of them may send requests to them; with an empty list, the server sends none',
      check: assertWebhookAddress,
    }),
    allowPlainHttp: booleanSetting({
      default: defaultManagementSettings.webhooks.allowPlainHttp,
      meaning: 'accept webhooks of projects with an `http://` URL; records then travel in plain text',
    }),
  },
  directTokens: {
    defaultTTL: integerSetting({
      least: 1,
      default: defaultManagementSettings.directTokens.defaultTTL,
      meaning: 'default lifetime of a direct-endpoint token in seconds',
    }),
    maxTTL: integerSetting({
      least: 1,
      default: defaultManagementSettings.directTokens.maxTTL,
      meaning: 'maximum lifetime of a direct-endpoint token in seconds',
    }),
  },
  gateway: {
    serviceAccountTokens: booleanSetting({
      default: defaultManagementSettings.gateway.serviceAccountTokens,
      meaning:
        'accept service account tokens of a virtual cluster at the gateway, so that controllers outside can use it',
    }),
    maxServiceAccountTokenAge: integerSetting({
      least: 0,
      default: defaultManagementSettings.gateway.maxServiceAccountTokenAge,
      meaning:
        'maximum age in seconds of a service account token at the gateway, since it was issued, even if the token itself does not expire; 0: no limit',
    }),
    serviceAccountTokensFollowMaker: booleanSetting({
      default: defaultManagementSettings.gateway.serviceAccountTokensFollowMaker,
      meaning:
        'reject a service account token at the gateway when its creator (a user or team) may no longer use the virtual cluster',
    }),
    defaultTokenTTL: integerSetting({
      least: 1,
      default: defaultManagementSettings.gateway.defaultTokenTTL,
      meaning: 'default lifetime in seconds of the token in the kubeconfig of a virtual cluster',
    }),
    maxTokenTTL: integerSetting({
      least: 1,
      default: defaultManagementSettings.gateway.maxTokenTTL,
      meaning: 'maximum lifetime of such a token in seconds; it never outlives its access key',
    }),
  },
};

function readChart(group: SettingsReader): ManagementSettings['charts']['allowed'][number] {
  const name = group.text('name');
  const repo = group.text('repo');
  if (name === undefined || repo === undefined) {
    throw new StartError('every entry of "charts.allowed" requires a "name" and a "repo"');
  }
  return { name, repo };
}
