/** The settings for installations on Kubernetes clusters. Every member has a default. */
export interface HelmSettings {
  /** A program name to look up in PATH, or a path. */
  readonly program: string;
  /** The chart for templates that name none, and its repository (`https://…` or `oci://…`). */
  readonly chart: string;
  readonly repo: string;
  readonly version: string;
  /**
   * The path of that chart on this machine, a directory or an archive; `{version}` is replaced by the version. Empty to
   * fetch it from the repository.
   */
  readonly path: string;
  /** A file with registry credentials, as `helm registry login` writes it, or empty. */
  readonly registryConfig: string;
  /** A file with repositories and their credentials, as `helm repo add` writes it, or empty. */
  readonly repositoryConfig: string;
  /** The timeout for one run of helm. */
  readonly timeoutSeconds: number;
  /** The maximum number of concurrent runs per cluster. */
  readonly concurrency: number;
  /** The part of the server's environment that helm sees: PATH, and proxy settings for the repositories. */
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
