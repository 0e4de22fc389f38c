import { StartError } from '../../process/start-error.ts';
import { isLoopback, parseEndpoints } from '../../store/etcd/client/endpoints.ts';
import { assertValidPrefix } from '../../store/etcd/key-space.ts';
import { StoreError } from '../../store/store-error.ts';
import { defaultEtcdPrefix } from './flags.ts';

/** The settings of a store on etcd, which several servers can share. */
export interface EtcdStoreSettings {
  /** The addresses of the members of etcd, separated by commas. */
  readonly endpoints: string;
  readonly prefix: string;
  readonly caFile: string | undefined;
  readonly clientCertificate: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly user: { readonly name: string; readonly passwordFile: string } | undefined;
}

export type StoreSettings = 'embedded' | 'memory' | EtcdStoreSettings;

/** The values of the flags; `undefined` for a flag that is not set. */
export interface StoreFlags {
  readonly store: string | undefined;
  readonly prefix: string | undefined;
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly username: string | undefined;
  readonly passwordFile: string | undefined;
}

/**
 * Validates the flags of the store. Throws StartError. `flag` is the name of the flag that contains the type or the
 * addresses of the store.
 */
export function readStoreSettings(flags: StoreFlags, flag = 'store'): StoreSettings {
  const { store = 'embedded' } = flags;
  if (store === 'embedded' || store === 'memory') {
    rejectEtcdFlags(flags);
    return store;
  }
  if (!store.includes('://')) {
    throw new StartError(
      `--${flag}: "${store}" must be embedded, memory or addresses of etcd such as https://etcd-1:2379`,
    );
  }
  const { prefix = defaultEtcdPrefix, caFile } = flags;
  const isSecure = withFlag(flag, () => parseEndpoints(store)).every(({ secure }) => secure);
  withFlag('etcd-prefix', () => assertValidPrefix(prefix));
  const clientCertificate = readPair(flags.certFile, flags.keyFile, ['etcd-cert-file', 'etcd-key-file']);
  if (!isSecure && (caFile !== undefined || clientCertificate !== undefined)) {
    const given = caFile === undefined ? 'etcd-cert-file' : 'etcd-ca-file';
    throw new StartError(`--${given} needs https:// addresses in --${flag}`);
  }
  const user = readPair(flags.username, flags.passwordFile, ['etcd-username', 'etcd-password-file']);
  return {
    endpoints: store,
    prefix,
    caFile,
    clientCertificate: clientCertificate && { certFile: clientCertificate[0], keyFile: clientCertificate[1] },
    user: user && { name: user[0], passwordFile: user[1] },
  };
}

/**
 * Requires `--external-url` if the store is etcd and the server does not listen on a loopback address: clients need a
 * URL that leads to any replica.
 */
export function assertExternalUrl(store: StoreSettings, externalUrl: string | undefined, host: string): void {
  if (typeof store === 'string' || externalUrl !== undefined || isLoopback(host)) return;
  throw new StartError(
    '--external-url is required if the store is etcd and the server does not listen on a loopback address: kubeconfigs must contain a URL that works for all replicas, such as that of a load balancer',
  );
}

function rejectEtcdFlags({ prefix, caFile, certFile, keyFile, username, passwordFile }: StoreFlags): void {
  const given = Object.entries({
    'etcd-prefix': prefix,
    'etcd-ca-file': caFile,
    'etcd-cert-file': certFile,
    'etcd-key-file': keyFile,
    'etcd-username': username,
    'etcd-password-file': passwordFile,
  }).find(([, value]) => value !== undefined);
  if (given !== undefined) throw new StartError(`--${given[0]} needs --store with the addresses of etcd`);
}

/** Returns two values that must be set together; `undefined` if neither is set. */
function readPair(
  first: string | undefined,
  second: string | undefined,
  names: readonly [string, string],
): readonly [string, string] | undefined {
  if (first === undefined && second === undefined) return undefined;
  if (first === undefined) throw new StartError(`--${names[1]} needs --${names[0]}`);
  if (second === undefined) throw new StartError(`--${names[0]} needs --${names[1]}`);
  return [first, second];
}

/** Calls `parse`. Converts a StoreError to a StartError that names the flag. */
function withFlag<T>(flag: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StartError(`--${flag}: ${error.message}`, { cause: error });
  }
}
