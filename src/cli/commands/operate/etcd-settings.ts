import type { CallValues } from '../../command-call.ts';

/** Returns the values of the flags for the connection to etcd; `undefined` for a flag that is not set. */
export function etcdFlags(values: Pick<CallValues, 'text'>) {
  return {
    prefix: values.text('etcd-prefix'),
    caFile: values.text('etcd-ca-file'),
    certFile: values.text('etcd-cert-file'),
    keyFile: values.text('etcd-key-file'),
    username: values.text('etcd-username'),
    passwordFile: values.text('etcd-password-file'),
  };
}

/** Returns the settings of the store on etcd that `--store` names; `undefined` without `--store`. */
export async function readEtcdSettings(values: Pick<CallValues, 'text'>) {
  const { readStoreSettings } = await import('../../../server/settings/store-settings.ts');
  const settings = readStoreSettings({ store: values.text('store'), ...etcdFlags(values) });
  return typeof settings === 'string' ? undefined : settings;
}
