import { defaultAuditRules } from '../audit/audit-policy.ts';
import { defaultAuditKeptFiles, defaultAuditMaxBytes } from '../audit/open-audit-log.ts';
import { defaultHelmSettings } from '../hosts/kubernetes/helm-settings.ts';
import { defaultSettings, type ManagementSettings } from '../management/settings.ts';
import { StartError } from '../process/start-error.ts';
import { defaultRetention } from '../store/store.ts';
import { readAuditRule } from './audit-rules.ts';
import { choice, flag, integer, list, text } from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

/** Every setting that has no flag, by the group it stands in. */
export const fileSettings = {
  audit: {
    maxBytes: integer({
      least: 1024,
      default: defaultAuditMaxBytes,
      meaning: 'size in bytes at which `audit.log` is set aside and a new one begun',
    }),
    keptFiles: integer({
      least: 0,
      most: 1000,
      default: defaultAuditKeptFiles,
      meaning: 'how many files set aside are kept; `audit.log.1` is the youngest',
    }),
    onFailure: choice(['refuse', 'continue'], {
      default: 'refuse',
      meaning: 'a write whose line cannot be written is refused with 503, or carried out with an alarm in the log',
    }),
    rules: list({
      default: defaultAuditRules,
      meaning: 'the first rule that matches a request gives its level; none: nothing is written',
      members: {
        level: '`None`, `Metadata`, `Request` or `RequestResponse`; required',
        verbs: 'verbs of the API, or methods in lower case for other paths',
        users: 'names of users',
        userGroups: 'groups, one of which the user is in',
        namespaces: 'namespaces; an empty text is no namespace',
        resources: 'maps of `group` and `resources`: `plural`, `plural/subresource`, `plural/*` or `*`',
        nonResourceURLs: 'paths; a `*` at the end matches whatever follows',
        outcome: '`refused`: only what was answered 401, 403 or 429',
      },
      entry: readAuditRule,
    }),
  },
  history: {
    seconds: integer({
      least: 1,
      default: defaultRetention.ageMilliseconds / 1000,
      meaning: 'how long a change is kept: so long can a watch be resumed and a list continued',
    }),
    changes: integer({
      least: 1,
      default: defaultRetention.changes,
      meaning: 'how many of the newest changes are kept, however old they are',
    }),
  },
  /** Completions §10. */
  limits: {
    bodyBytes: integer({
      least: 1024,
      most: 1024 * 1024 * 1024,
      default: 3 * 1024 * 1024,
      meaning: 'the largest body of a request in bytes; more is answered 413',
    }),
    readsInFlight: integer({
      least: 1,
      default: 400,
      meaning: 'reads at work at the same time; more wait, and are answered 429 if there are many',
    }),
    writesInFlight: integer({
      least: 1,
      default: 200,
      meaning: 'writes at work at the same time; more wait, and are answered 429 if there are many',
    }),
    requestsPerSecond: integer({
      least: 0,
      default: 0,
      meaning: 'requests a second that one access key may make, more are answered 429; 0: no limit',
    }),
  },
  planes: {
    memoryBytes: integer({
      least: 1024 * 1024,
      default: 64 * 1024 * 1024,
      meaning:
        'what virtual clusters that nobody uses may take in memory together, in bytes; beyond it those wait on disk that were not used for longest, until they are used again; the one that was used last stays',
    }),
    maxBytes: integer({
      least: 1024 * 1024,
      default: 512 * 1024 * 1024,
      meaning:
        'what the objects of one virtual cluster may take in memory together, in bytes; once they do, writes that make it larger are answered 403',
    }),
    maxTokenTTL: integer({
      least: 600,
      most: 366 * 24 * 3600,
      default: 30 * 24 * 3600,
      meaning:
        'the longest life of a token of a service account in a cluster, in seconds; who asks for a longer one gets this, and a warning',
    }),
  },
  auth: {
    loginTTL: integer({
      least: 60,
      most: 366 * 24 * 3600,
      default: 20 * 24 * 3600,
      meaning: 'how long a login with a password lasts, in seconds; never longer than `accessKeys.maxTTL` allows',
    }),
  },
  console: {
    enabled: flag({
      default: true,
      meaning:
        'the web console is served at `/`, and browsers may sign in to it; without it no cookie is a credential of this server',
    }),
  },
  accessKeys: {
    maxTTL: integer({
      least: 0,
      default: defaultSettings.accessKeys.maxTTL,
      meaning: 'the longest lifetime of a key in seconds; 0: no limit, and keys without an end are allowed',
    }),
    perUser: integer({
      least: 1,
      default: defaultSettings.accessKeys.perUser,
      meaning: 'how many keys a user, a team or a subject may have',
    }),
  },
  projects: {
    selfService: flag({
      default: defaultSettings.projects.selfService,
      meaning: 'everybody may create projects, and administers those they created; admins always may',
    }),
  },
  charts: {
    allowed: list({
      default: defaultSettings.charts.allowed,
      meaning: 'the only charts that templates may name',
      members: { name: 'name of the chart; required', repo: 'repository that holds it; required' },
      entry: readChart,
    }),
  },
  helm: {
    program: text({
      takes: 'a name on PATH, or a path',
      default: defaultHelmSettings.program,
      meaning: 'the program that installs virtual clusters on Kubernetes clusters',
    }),
    chart: text({
      takes: 'a name',
      default: defaultHelmSettings.chart,
      meaning: 'the chart that is installed where a template names none',
    }),
    repo: text({
      takes: '`https://…` or `oci://…`',
      default: defaultHelmSettings.repo,
      meaning:
        'the repository of that chart; also put the two on the list `charts.allowed` if templates are to name them',
    }),
    version: text({
      takes: 'a version or a range; empty: the newest',
      default: defaultHelmSettings.version,
      meaning: 'the version of that chart that is installed where a template names none',
    }),
    path: text({
      takes: 'a path; empty: the chart is fetched',
      default: defaultHelmSettings.path,
      meaning:
        'where that chart lies on this machine, as a folder or an archive; `{version}` in it stands for the version, so that several can lie there',
    }),
    registryConfig: text({
      takes: 'a path; empty: none',
      default: defaultHelmSettings.registryConfig,
      meaning: 'credentials of OCI registries, in the file that `helm registry login` writes',
    }),
    repositoryConfig: text({
      takes: 'a path; empty: none',
      default: defaultHelmSettings.repositoryConfig,
      meaning: 'repositories that need credentials, in the file that `helm repo add` writes',
    }),
    timeoutSeconds: integer({
      least: 5,
      most: 3600,
      default: defaultHelmSettings.timeoutSeconds,
      meaning: 'how long one run of helm may take, in seconds',
    }),
    concurrency: integer({
      least: 1,
      most: 64,
      default: defaultHelmSettings.concurrency,
      meaning: 'how many runs of helm there may be at the same time, for each cluster',
    }),
  },
  directTokens: {
    defaultTTL: integer({
      least: 1,
      default: defaultSettings.directTokens.defaultTTL,
      meaning: 'lifetime in seconds of a direct-endpoint token that asks for none',
    }),
    maxTTL: integer({
      least: 1,
      default: defaultSettings.directTokens.maxTTL,
      meaning: 'the longest lifetime of such a token in seconds',
    }),
  },
  gateway: {
    serviceAccountTokens: flag({
      default: defaultSettings.gateway.serviceAccountTokens,
      meaning:
        'service accounts of a virtual cluster get into it from outside with their own tokens, so that controllers elsewhere can work in it',
    }),
    defaultTokenTTL: integer({
      least: 1,
      default: defaultSettings.gateway.defaultTokenTTL,
      meaning: 'lifetime in seconds of the token in a kubeconfig of a virtual cluster that asks for none',
    }),
    maxTokenTTL: integer({
      least: 1,
      default: defaultSettings.gateway.maxTokenTTL,
      meaning: 'the longest lifetime of such a token in seconds; it never outlives its access key',
    }),
  },
};

function readChart(group: SettingsReader): ManagementSettings['charts']['allowed'][number] {
  const name = group.text('name');
  const repo = group.text('repo');
  if (name === undefined || repo === undefined) {
    throw new StartError('every entry of "charts.allowed" needs a "name" and a "repo"');
  }
  return { name, repo };
}
