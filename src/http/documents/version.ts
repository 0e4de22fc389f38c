/** The content of `/version` (rules VER-01, VER-02). The members are in the order of kube-apiserver's response. */
export type VersionInfo = {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
};

/** The Kubernetes API version that the server implements. kubectl warns if it differs too much from its own version. */
const major = '1';
const minor = '34';
const oldestMinor = '33';

export interface BuildInfo {
  /** The version from package.json of this product. */
  readonly packageVersion: string;
  readonly gitCommit?: string;
  readonly buildDate?: string;
}

/**
 * Returns the content of `/version`. `gitVersion` is a semantic version with a leading v, because kubectl and helm
 * parse it. Its build metadata (the part after `+`) identifies this product.
 */
export function versionInfo(build: BuildInfo): VersionInfo {
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: oldestMinor,
    gitVersion: `v${major}.${minor}.0+flotilla.${build.packageVersion.replaceAll('+', '.')}`,
    gitCommit: build.gitCommit ?? '',
    gitTreeState: 'clean',
    buildDate: build.buildDate ?? '1970-01-01T00:00:00Z',
    goVersion: `node${process.version}`,
    compiler: 'v8',
    platform: `${process.platform}/${goArchitecture(process.arch)}`,
  };
}

/** Returns Go's name of a CPU architecture. Tools that select downloads by `platform` expect Go's names. */
function goArchitecture(arch: string): string {
  return arch === 'x64' ? 'amd64' : arch === 'ia32' ? '386' : arch;
}
