/** How virtual clusters are installed on Kubernetes clusters. Every member has a default. */
export interface HelmSettings {
  /** A name that is looked for on PATH, or a path. */
  readonly program: string;
  /** The chart of templates that name none, in its repository (`https://…` or `oci://…`). */
  readonly chart: string;
  readonly repo: string;
  readonly version: string;
  /** Where that chart lies on this machine, a folder or an archive; `{version}` stands for the version. '': in the repository. */
  readonly path: string;
  /** Credentials of registries, as `helm registry login` leaves them; ''. */
  readonly registryConfig: string;
  /** Repositories with their credentials, as `helm repo add` leaves them; ''. */
  readonly repositoryConfig: string;
  /** How long one run of helm may take. */
  readonly timeoutSeconds: number;
  /** Runs at the same time, for each cluster. */
  readonly concurrency: number;
  /** What helm sees of the server's environment: where programs are, and the way to the repositories. */
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
