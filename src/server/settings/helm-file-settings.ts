import { defaultHelmSettings } from '../../hosts/kubernetes/release/helm-settings.ts';
import { integerSetting, textSetting } from './setting-group.ts';

/** The settings of the group `helm`. */
export const helmFileSettings = {
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
};
