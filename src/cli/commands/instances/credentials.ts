import type { VirtualClusterInstanceCredentials } from '../../../api/management/v1/subresources/virtual-cluster-instance-credentials.ts';
import { usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { objectPath, requestObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { instanceCredentials, virtualClusters } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { formatTable } from '../../output/print-table.ts';

export const list: CommandRun = async (call) => {
  const format = await outputFormat(call.values);
  return await withServer(call, async (api) => {
    const name = call.values.argument('name');
    const path = objectPath(api, virtualClusters, { project: api.access.project }, name, 'credentials');
    const found = await requestObject(api, instanceCredentials, { path, signal: call.interrupted });
    if (format.kind === 'objects') call.terminal.print(format.print(found));
    else print(found, `no credentials found in virtual cluster "${name}"`, call);
    return undefined;
  });
};

export const revoke: CommandRun = async (call) => {
  const { values, terminal } = call;
  const name = values.argument('name');
  const secrets = values.argumentList('secret');
  const accounts = values.list('service-account');
  const all = values.flag('all');
  if (all === secrets.length + accounts.length > 0) {
    throw usageError('name the credentials as <namespace>/<secret>, or use --service-account or --all');
  }
  const revoke = [
    ...secrets.map((text) => ({ kind: 'Secret', ...nameOf(text, 'secret') })),
    ...accounts.map((text) => ({ kind: 'Token', ...nameOf(text, 'service account') })),
  ];
  const spec = all ? { revokeAll: true } : { revoke };
  return await withServer(call, async (api) => {
    const path = objectPath(api, virtualClusters, { project: api.access.project }, name, 'credentials');
    const { credentials = [] } = await requestObject(api, instanceCredentials, {
      method: 'POST',
      path,
      body: { spec },
    });
    for (const { kind, namespace, name: secret, serviceAccount, maker } of credentials) {
      const what =
        kind === 'Secret' ? `credential "${namespace}/${secret}"` : `tokens of "${namespace}/${serviceAccount}"`;
      terminal.print(`${what}${kind === 'Token' && maker ? ` created by ${maker}` : ''} revoked\n`);
    }
    if (all) terminal.printToStderr(`all service account tokens of virtual cluster "${name}" are revoked\n`);
    return undefined;
  });
};

function nameOf(text: string, what: string): { namespace: string; name: string } {
  const [namespace = '', name = '', ...more] = text.split('/');
  if (namespace === '' || name === '' || more.length > 0) {
    throw usageError(`"${text}" is not a credential; use <namespace>/<${what}>, as the list shows it`);
  }
  return { namespace, name };
}

function print(
  { credentials = [], revokedBefore }: VirtualClusterInstanceCredentials,
  empty: string,
  { terminal }: CommandCall,
): void {
  if (revokedBefore !== undefined) terminal.printToStderr(`tokens issued before ${revokedBefore} are revoked\n`);
  if (credentials.length === 0) {
    terminal.printToStderr(`${empty}\n`);
    return;
  }
  const rows = credentials.map((one) => [
    `${one.namespace}/${one.name}`,
    one.kind,
    one.serviceAccount,
    one.maker || '<unknown>',
    one.created || '<unknown>',
    one.lastUsed || '<unknown>',
    one.expires || 'never',
  ]);
  const head = ['Name', 'Kind', 'Service Account', 'Created By', 'Created', 'Last Used', 'Expires'];
  terminal.print(formatTable(head, rows, terminal.colors));
}
