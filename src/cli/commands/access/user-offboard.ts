import type { OffboardingItem, UserOffboarding } from '../../../api/management/v1/subresources/user-offboarding.ts';
import type { CommandRun } from '../../command-spec.ts';
import { requestObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { managementApiVersion, userOffboardings } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { formatTable } from '../../output/print-table.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  const name = values.argument('name');
  const transferTo = values.text('transfer-to');
  const dryRun = values.flag('dry-run');
  const revokes = values.flag('revoke-unattributed');
  return await withServer(call, async (api) => {
    const bodyWith = (revocation: UserOffboarding['spec']) => ({
      apiVersion: managementApiVersion,
      kind: userOffboardings.kind,
      metadata: { name },
      spec: {
        ...(transferTo === undefined ? {} : { transferTo }),
        ...(values.flag('keep-user') ? { keepUser: true } : {}),
        ...revocation,
      },
    });
    const path = api.managementPath('users', name, 'offboard');
    const query = dryRun ? { dryRun: 'All' } : {};
    const request = (revocation: UserOffboarding['spec']) =>
      requestObject(api, userOffboardings, { method: 'POST', path, body: bodyWith(revocation), query });
    const first = await request(revokes ? { revokeUnattributed: true } : {});
    let changes = first.status?.changes ?? 0;
    // Repeat the request, because the server limits the number of writes of one request. The first request already
    // makes all revocations.
    for (let last = first; !dryRun && (last.status?.remaining ?? 0) > 0; ) {
      signal.throwIfAborted();
      last = await request({});
      changes += last.status?.changes ?? 0;
    }
    if (format.kind === 'objects') {
      terminal.print(format.print(first));
      return undefined;
    }
    terminal.print(formatTable(['Action', 'Kind', 'Name', 'Message'], rowsOf(first), terminal.colors));
    const total = changes + (dryRun ? (first.status?.remaining ?? 0) : 0);
    terminal.print(
      dryRun
        ? `\nwould change or delete ${total} objects\n`
        : `\nuser "${name}" offboarded: ${total} objects changed or deleted\n`,
    );
    const open = (first.status?.items ?? []).filter(
      ({ action, kind }) => action === 'Keep' && kind === 'VirtualClusterInstance',
    ).length;
    if (open > 0) terminal.print(keptHint(open, dryRun));
    return undefined;
  });
};

/**
 * Returns the advice for virtual clusters whose tokens are kept. After the offboarding, the server no longer knows
 * which virtual clusters the user could use, so a second offboarding cannot revoke their tokens.
 */
function keptHint(count: number, dryRun: boolean): string {
  const clusters = count === 1 ? '1 virtual cluster' : `${count} virtual clusters`;
  const advice = dryRun
    ? 'to revoke them too, use --revoke-unattributed'
    : 'revoke them with the commands in the lines above';
  return `service account tokens without a known creator in ${clusters} are kept; ${advice}\n`;
}

function rowsOf({ status }: UserOffboarding): string[][] {
  return (status?.items ?? []).map((item) => [item.action, item.kind, nameOf(item), item.message || '<none>']);
}

function nameOf({ project, name }: OffboardingItem): string {
  return project === undefined ? name : `${project}/${name}`;
}
