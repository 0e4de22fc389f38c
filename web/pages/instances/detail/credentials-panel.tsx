import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  InstanceCredential,
  VirtualClusterInstanceCredentials,
} from '../../../../src/api/management/v1/subresources/virtual-cluster-instance-credentials.ts';
import { RemoveButton } from '../../../components/delete-button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Confirm } from '../../../components/form/confirm.tsx';
import { SimpleTable } from '../../../components/list/simple-table.tsx';
import { notify } from '../../../components/notifications.tsx';
import { Age } from '../../../components/object/age.tsx';
import { TimeUntil } from '../../../components/object/time-until.tsx';
import { Panel } from '../../../components/panel.tsx';
import { managementRoot } from '../../../data/api-root.ts';
import { formatTime } from '../../../data/format-time.ts';
import { kinds, objectUrl } from '../../../data/kind-ref.ts';
import { subresourceQuery } from '../../../data/objects/subresource-query.ts';
import { usePermissions } from '../../../data/permissions.ts';
import { sendJson } from '../../../data/send.ts';
import type { InstanceState } from './instance-state.ts';

type InstanceKey = Pick<InstanceState, 'namespace' | 'name'>;

/**
 * A panel with the service account credentials that give access to the virtual cluster. Absent if the caller may not list
 * them.
 */
export function CredentialsPanel({ namespace, name }: InstanceKey) {
  const target = { kind: kinds.instance, namespace, name, subresource: 'credentials' };
  const [read, revoke] = usePermissions([
    { ...target, verb: 'get' },
    { ...target, verb: 'create' },
  ]);
  return read?.allowed === true ? (
    <Credentials namespace={namespace} name={name} mayRevoke={revoke?.allowed === true} />
  ) : null;
}

function Credentials({ namespace, name, mayRevoke }: InstanceKey & { readonly mayRevoke: boolean }) {
  const query = useQuery({
    ...subresourceQuery<VirtualClusterInstanceCredentials>(kinds.instance, { namespace, name }, 'credentials'),
    retry: false,
  });
  const [revoking, setRevoking] = useState<InstanceCredential | 'all'>();
  const credentials = query.data?.credentials ?? [];
  const revokeAll =
    mayRevoke && query.data !== undefined ? (
      <Button variant="default" onClick={() => setRevoking('all')}>
        Revoke all
      </Button>
    ) : undefined;
  return (
    <Panel title="Service account credentials" actions={revokeAll}>
      <Text size="sm" c="dimmed" mb="md">
        Secrets inside the virtual cluster that give access to it through the gateway, and tokens without a Secret that
        the gateway has accepted.
        {query.data?.revokedBefore === undefined
          ? ''
          : ` Tokens issued before ${formatTime(query.data.revokedBefore)} are revoked.`}
      </Text>
      {query.error === null ? null : <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && credentials.length === 0 ? <Text size="sm">No credentials.</Text> : null}
      {credentials.length === 0 ? null : (
        <SimpleTable
          label="Credentials"
          head={['Kind', 'Name', 'Service account', 'Created by', 'Age', 'Last used', 'Expires', '']}
          rows={credentials.map((one) => ({
            key: `${one.kind} ${nameOf(one)} ${one.maker ?? ''}`,
            cells: [
              one.kind,
              nameOf(one),
              one.serviceAccount,
              one.maker ?? 'Unknown',
              <Age key="age" since={one.created} />,
              one.lastUsed === undefined ? 'Unknown' : <Age key="used" since={one.lastUsed} />,
              <TimeUntil key="end" end={one.expires === undefined ? undefined : Date.parse(one.expires)} />,
              mayRevoke ? (
                <RemoveButton key="revoke" label={`Revoke ${nameOf(one)}`} onClick={() => setRevoking(one)} />
              ) : null,
            ],
          }))}
        />
      )}
      {revoking === undefined ? null : (
        <Confirm
          title={revoking === 'all' ? 'Revoke all credentials?' : `Revoke ${nameOf(revoking)}?`}
          action="Revoke"
          danger
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await sendRevocation({ namespace, name }, revoking);
            notify.done(revoking === 'all' ? 'Revoked all credentials' : `Revoked ${nameOf(revoking)}`);
            await query.refetch();
          }}
        >
          <Text size="sm">{consequenceOf(revoking)}</Text>
        </Confirm>
      )}
    </Panel>
  );
}

function consequenceOf(revoked: InstanceCredential | 'all'): string {
  if (revoked === 'all') {
    return 'All service account tokens that were issued until now are rejected, and Secrets with tokens are deleted.';
  }
  return revoked.kind === 'Secret'
    ? 'The Secret is deleted, and programs that use its token lose access at once.'
    : 'All tokens of the service account that were issued until now are rejected, and its Secrets with tokens are deleted.';
}

function nameOf({ namespace, name }: InstanceCredential): string {
  return `${namespace}/${name}`;
}

async function sendRevocation(instance: InstanceKey, revoked: InstanceCredential | 'all'): Promise<void> {
  const spec =
    revoked === 'all'
      ? { revokeAll: true }
      : { revoke: [{ kind: revoked.kind, namespace: revoked.namespace, name: revoked.name }] };
  const url = objectUrl(managementRoot, kinds.instance, instance, 'credentials');
  await sendJson({ method: 'POST', url, document: { spec } });
}
