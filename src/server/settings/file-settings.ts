import { apiWordVariable, defaultApiWord } from '../../api/api-word.ts';
import { defaultCredentialLimits } from '../../api/credential-limits.ts';
import { apiSets } from '../../api/storage/api-set.ts';
import { defaultAuditRules } from '../../audit/audit-policy.ts';
import { defaultAuditKeptFiles, defaultAuditMaxBytes } from '../../audit/open-audit-log.ts';
import { defaultWorkerLimits } from '../../builtin/workers/default-limits.ts';
import { defaultMaxObjects } from '../../controlplane/fleet/size-limit.ts';
import { defaultHelmSettings } from '../../hosts/kubernetes/release/helm-settings.ts';
import { defaultManagementSettings, type ManagementSettings } from '../../management/settings.ts';
import { StartError } from '../../process/start-error.ts';
import { defaultHistoryRetention } from '../../store/store.ts';
import { readAuditRule } from './audit-rules.ts';
import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  listSetting,
  optionalIntegerSetting,
  optionalTextSetting,
  textSetting,
} from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

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
  audit: {
    maxBytes: integerSetting({
      least: 1024,
      default: defaultAuditMaxBytes,
      meaning: 'size in bytes at which `audit.log` is rotated',
    }),
    keptFiles: integerSetting({
      least: 0,
      most: 1000,
      default: defaultAuditKeptFiles,
      meaning: 'number of rotated files to keep; `audit.log.1` is the newest',
    }),
    onFailure: choiceSetting(['refuse', 'continue'], {
      default: 'refuse',
      meaning:
        'when the audit line of a write cannot be written: reject the write with 503, or execute it and log an error',
    }),
    rules: listSetting({
      default: defaultAuditRules,
      meaning: 'the first rule that matches a request sets its level; requests without a matching rule are not audited',
      members: {
        level: '`None`, `Metadata`, `Request` or `RequestResponse`; required',
        verbs: 'API verbs, or lower-case methods for non-resource paths',
        users: 'user names',
        userGroups: 'groups; the user must be in at least one of them',
        namespaces: 'namespaces; the empty string matches requests without a namespace',
        resources: 'maps of `group` and `resources`: `plural`, `plural/subresource`, `plural/*` or `*`',
        nonResourceURLs: 'paths; a trailing `*` matches any suffix',
        outcome: '`refused`: only requests with response code 401, 403 or 429',
      },
      entry: readAuditRule,
    }),
  },
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
    maxTokenTTL: integerSetting({
      least: 600,
      most: 366 * 24 * 3600,
      default: 30 * 24 * 3600,
      meaning:
        'maximum lifetime of service account tokens in seconds; a request for a longer one gets this lifetime and a warning',
    }),
    api: choiceSetting(apiSets, {
      default: 'minimal',
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
  },
  console: {
    enabled: booleanSetting({
      default: true,
      meaning:
        'serve the web console at `/` and allow browsers to sign in; if false, the server accepts no cookies as credentials',
    }),
  },
  accessKeys: {
    maxTTL: integerSetting({
      least: 0,
      default: defaultManagementSettings.accessKeys.maxTTL,
      meaning: 'maximum lifetime of a key in seconds; 0: no limit, keys without expiry are allowed',
    }),
    perUser: integerSetting({
      least: 1,
      default: defaultManagementSettings.accessKeys.perUser,
      meaning:
        'maximum number of keys of a user, a team or a subject; logins and expired keys do not count; a create beyond it gets 403',
    }),
  },
  instances: {
    perProject: integerSetting({
      least: 0,
      default: defaultManagementSettings.instances.perProject,
      meaning:
        'maximum number of instances of a project that sets no `quotas.project`; a create beyond it gets 403; unscoped keys of admins are exempt; 0: no limit',
    }),
    perUser: integerSetting({
      least: 0,
      default: defaultManagementSettings.instances.perUser,
      meaning:
        'maximum number of instances that a user or a team owns in a project that sets no `quotas.user`; a create beyond it gets 403; unscoped keys of admins are exempt; 0: no limit',
    }),
    bytesPerProject: integerSetting({
      least: 0,
      default: defaultManagementSettings.instances.bytesPerProject,
      meaning:
        'maximum size of all instances of a project with their inline templates and rendered templates, in bytes of JSON; a write that adds to it gets 403; unscoped keys of admins are exempt; 0: no limit',
    }),
  },
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
  helm: {
    program: textSetting({
      takes: 'a name on PATH, or a path',
      default: defaultHelmSettings.program,
      meaning: 'the program that installs virtual clusters on Kubernetes clusters',
    }),
    chart: textSetting({
      takes: 'a name',
      default: defaultHelmSettings.chart,
      meaning: 'default chart for templates that set none',
    }),
    repo: textSetting({
      takes: '`https://…` or `oci://…`',
      default: defaultHelmSettings.repo,
      meaning:
        'repository of the default chart; add the chart to `charts.allowed` too if templates may set it explicitly',
    }),
    version: textSetting({
      takes: 'a version or a range; empty: the newest',
      default: defaultHelmSettings.version,
      meaning: 'default version of the chart for templates that set none',
    }),
    path: textSetting({
      takes: 'a path; empty: the chart is fetched',
      default: defaultHelmSettings.path,
      meaning:
        'local path of the default chart, a folder or an archive; `{version}` is replaced by the version, so that several versions can be stored',
    }),
    registryConfig: textSetting({
      takes: 'a path; empty: none',
      default: defaultHelmSettings.registryConfig,
      meaning: 'file with the credentials of OCI registries, as `helm registry login` writes it',
    }),
    repositoryConfig: textSetting({
      takes: 'a path; empty: none',
      default: defaultHelmSettings.repositoryConfig,
      meaning: 'file with repositories that require credentials, as `helm repo add` writes it',
    }),
    timeoutSeconds: integerSetting({
      least: 5,
      most: 3600,
      default: defaultHelmSettings.timeoutSeconds,
      meaning: 'timeout of one helm run in seconds',
    }),
    concurrency: integerSetting({
      least: 1,
      most: 64,
      default: defaultHelmSettings.concurrency,
      meaning: 'maximum number of concurrent helm runs per cluster',
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
