/** The settings for installing virtual clusters on Kubernetes clusters with Helm. */
export interface HelmSettings {
  /** The helm program: a name to look up in PATH, or a path. */
  readonly program: string;
  /** The default chart for templates that specify no chart, and its repository (`https://…` or `oci://…`). */
  readonly chart: string;
  readonly repo: string;
  readonly version: string;
  /**
   * The path of the default chart on this machine, a directory or an archive. `{version}` is replaced by the version.
   * Empty to fetch the chart from the repository.
   */
  readonly path: string;
  /** A file with registry credentials, as `helm registry login` writes it. Empty if there is none. */
  readonly registryConfig: string;
  /** A file with repositories and their credentials, as `helm repo add` writes it. Empty if there is none. */
  readonly repositoryConfig: string;
  /** The timeout for one execution of helm. */
  readonly timeoutSeconds: number;
  /** The maximum number of helm processes that run at the same time for one cluster. */
  readonly concurrency: number;
  /** The environment variables of the helm process: PATH, and the proxy settings for chart repositories. */
  readonly environment: Readonly<Record<string, string>>;
}

export const defaultHelmSettings: Omit<HelmSettings, 'environment'> = {
  program: 'helm',
  chart: 'vcluster',
  repo: 'https://charts.loft.sh',
  version: '0.30.0',
  path: '',
  registryConfig: '',
  repositoryConfig: '',
  timeoutSeconds: 120,
  concurrency: 4,
};
