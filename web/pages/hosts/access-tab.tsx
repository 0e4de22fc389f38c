import { Button, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { Command } from '../../components/command.tsx';
import { RemoveButton } from '../../components/delete-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Confirm } from '../../components/form/confirm.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { PrincipalPicker } from '../../components/form/principal-picker.tsx';
import { Icon } from '../../components/icon.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { notify } from '../../components/notifications.tsx';
import { PrincipalLink } from '../../components/object/principal-link.tsx';
import { Panel } from '../../components/panel.tsx';
import { type AccessGrant, accessEntries, accessGrants, withGrant, withoutGrant } from '../../data/access-entries.ts';
import { clusterRoot } from '../../data/api-root.ts';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { changeObject } from '../../data/objects/change-object.ts';
import { usePermission } from '../../data/permissions.ts';
import type { Principal } from '../../data/principals.ts';

const levels = [
  { value: 'see', label: 'View', about: 'View the status and version of the cluster.', verbs: ['get'] },
  {
    value: 'use',
    label: 'Use',
    about: 'View the cluster, use its Kubernetes API through this server, and import virtual clusters from it.',
    verbs: ['get', 'use'],
  },
  {
    value: 'manage',
    label: 'Manage',
    about: 'View and use the cluster, and change its connection.',
    verbs: ['get', 'use', 'update', 'patch'],
  },
] as const;

/** A tab that grants users and teams access to the cluster. Administrators always have access. */
export function AccessTab({ cluster }: { readonly cluster: Cluster }) {
  const { name = '' } = cluster.metadata;
  const { allowed: mayChange } = usePermission({
    verb: 'update',
    kind: kinds.cluster,
    name,
    subresource: 'spec.access',
  });
  const [isAdding, setAdding] = useState(false);
  const [revoking, setRevoking] = useState<AccessGrant>();
  const grants = accessGrants(cluster);
  const { allowed: mayUse } = usePermission({ verb: 'use', kind: kinds.cluster, name });
  const add = mayChange ? (
    <Button size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      Grant access
    </Button>
  ) : undefined;
  return (
    <Panel title="Cluster access" actions={grants.length === 0 ? undefined : add}>
      {grants.length === 0 ? (
        <EmptyState
          title="Administrators only"
          text="Project members can run virtual clusters here without access to the cluster itself. Grant access to users and teams that need it."
          action={add}
        />
      ) : (
        <SimpleTable
          label="Access to the cluster"
          head={['User or team', 'Permissions', ...(mayChange ? [''] : [])]}
          rows={grants.map((grant, index) => ({
            key: `${index} ${grant.principal.name}`,
            cells: [
              grant.principal.name === '*' ? 'Everyone' : <PrincipalLink key="who" principal={grant.principal} />,
              permissionText(grant),
              ...(mayChange
                ? [
                    <RemoveButton
                      key="remove"
                      label={`Revoke access of ${grant.principal.name}`}
                      onClick={() => setRevoking(grant)}
                    />,
                  ]
                : []),
            ],
          }))}
        />
      )}
      {mayUse ? (
        <>
          <Text size="sm" c="dimmed" mt="md">
            You can use this cluster with kubectl and a kubeconfig of this server:
          </Text>
          <Command text={`kubectl --server ${location.origin}${clusterRoot(name)} get namespaces`} />
        </>
      ) : null}
      {isAdding ? <GrantAccess cluster={name} onClose={() => setAdding(false)} /> : null}
      {revoking === undefined ? null : (
        <Confirm
          title={`Revoke access of ${revoking.principal.name}?`}
          action="Revoke access"
          danger
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await changeObject(kinds.cluster, { name }, (now) => ({
              spec: { access: withoutGrant(accessEntries(now), revoking) },
            }));
            notify.done(`Revoked access of ${revoking.principal.name} to ${name}`);
          }}
        >
          <Text size="sm">Open connections to the cluster are closed. Virtual clusters on it keep running.</Text>
        </Confirm>
      )}
    </Panel>
  );
}

function permissionText({ verbs, subresources }: AccessGrant): string {
  const level = levels.find(
    (one) => one.verbs.length === verbs.length && one.verbs.every((verb) => verbs.includes(verb)),
  );
  const text = level?.label ?? (verbs.includes('*') ? 'Full access' : verbs.join(', '));
  return subresources.length === 0 ? text : `${text} (${subresources.join(', ')})`;
}

function GrantAccess({ cluster, onClose }: { readonly cluster: string; readonly onClose: () => void }) {
  const [principal, setPrincipal] = useState<Principal>();
  const [level, setLevel] = useState<string>('use');

  async function send(): Promise<void> {
    const verbs = levels.find(({ value }) => value === level)?.verbs;
    if (principal === undefined || verbs === undefined) return;
    await changeObject(kinds.cluster, { name: cluster }, (now) => ({
      spec: { access: withGrant(accessEntries(now), { principal, verbs, subresources: [] }) },
    }));
    notify.done(`Granted ${principal.name} access to ${cluster}`);
  }

  return (
    <FormDialog
      title={`Grant access to ${cluster}`}
      action="Grant access"
      canSend={principal !== undefined}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <PrincipalPicker
            label="User or team"
            value={principal}
            onChange={setPrincipal}
            error={fieldProblems(error)('spec.access')}
            required
            autoFocus
          />
          <Radio.Group label="Permissions" value={level} onChange={setLevel}>
            <Stack gap="xs" mt="xs">
              {levels.map(({ value, label, about }) => (
                <Radio key={value} value={value} label={label} description={about} />
              ))}
            </Stack>
          </Radio.Group>
        </>
      )}
    </FormDialog>
  );
}
