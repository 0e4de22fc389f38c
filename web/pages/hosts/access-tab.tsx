import { Button, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { Command } from '../../components/command.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { notify } from '../../components/notices.tsx';
import { Panel } from '../../components/panel.tsx';
import { PrincipalLink } from '../../components/principal-link.tsx';
import { PrincipalPicker } from '../../components/principal-picker.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { type AccessGrant, accessEntries, accessGrants, withGrant, withoutGrant } from '../../data/access-entries.ts';
import { clusterRoot } from '../../data/api-root.ts';
import { changeObject } from '../../data/change-object.ts';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { useMay } from '../../data/permissions.ts';
import type { Principal } from '../../data/principals.ts';

const levels = [
  { value: 'see', label: 'See it', about: 'Its state and version.', verbs: ['get'] },
  {
    value: 'use',
    label: 'Use it',
    about: 'Get to its API through this server, and import from it into projects of theirs.',
    verbs: ['get', 'use'],
  },
  {
    value: 'manage',
    label: 'Manage it',
    about: 'Change how it is connected, too.',
    verbs: ['get', 'use', 'update', 'patch'],
  },
] as const;

/** Who besides administrators may do something with the cluster itself. */
export function AccessTab({ cluster }: { readonly cluster: KubeObject }) {
  const { name = '' } = cluster.metadata;
  const { allowed: mayChange } = useMay({ verb: 'update', kind: kinds.cluster, name, subresource: 'spec.access' });
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<AccessGrant>();
  const grants = accessGrants(cluster);
  const { allowed: mayUse } = useMay({ verb: 'use', kind: kinds.cluster, name });
  const add = mayChange ? (
    <Button size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      Give access
    </Button>
  ) : undefined;
  return (
    <Panel title="Who may use the cluster itself" actions={grants.length === 0 ? undefined : add}>
      {grants.length === 0 ? (
        <EmptyState
          title="Administrators only"
          text="Members of projects run virtual clusters on it without getting at the cluster itself. Here you let others in."
          action={add}
        />
      ) : (
        <SimpleTable
          label="Access to the cluster"
          head={['Who', 'May', ...(mayChange ? [''] : [])]}
          rows={grants.map((grant, index) => ({
            key: `${index} ${grant.principal.name}`,
            cells: [
              grant.principal.name === '*' ? 'Everybody' : <PrincipalLink key="who" principal={grant.principal} />,
              wordsFor(grant),
              ...(mayChange
                ? [
                    <Button
                      key="remove"
                      size="compact-xs"
                      variant="subtle"
                      color="red"
                      aria-label={`Take access from ${grant.principal.name}`}
                      onClick={() => setLeaving(grant)}
                    >
                      Take back
                    </Button>,
                  ]
                : []),
            ],
          }))}
        />
      )}
      {mayUse ? (
        <>
          <Text size="sm" c="dimmed" mt="md">
            You may use it. With a kubeconfig for this server:
          </Text>
          <Command text={`kubectl --server ${location.origin}${clusterRoot(name)} get namespaces`} />
        </>
      ) : null}
      {isAdding ? <GiveAccess cluster={name} onClose={() => setAdding(false)} /> : null}
      {leaving === undefined ? null : (
        <Confirm
          title={`Take access from ${leaving.principal.name}?`}
          action="Take it back"
          danger
          onClose={() => setLeaving(undefined)}
          onConfirm={async () => {
            await changeObject(kinds.cluster, { name }, (now) => ({
              spec: { access: withoutGrant(accessEntries(now), leaving) },
            }));
            notify.done(`${leaving.principal.name} has lost access to ${name}`);
          }}
        >
          <Text size="sm">What they have open on the cluster ends. Their virtual clusters there go on.</Text>
        </Confirm>
      )}
    </Panel>
  );
}

function wordsFor({ verbs, subresources }: AccessGrant): string {
  const level = levels.find(
    (one) => one.verbs.length === verbs.length && one.verbs.every((verb) => verbs.includes(verb)),
  );
  const words = level?.label ?? (verbs.includes('*') ? 'Everything' : verbs.join(', '));
  return subresources.length === 0 ? words : `${words} (${subresources.join(', ')})`;
}

function GiveAccess({ cluster, onClose }: { readonly cluster: string; readonly onClose: () => void }) {
  const [principal, setPrincipal] = useState<Principal>();
  const [level, setLevel] = useState<string>('use');

  async function send(): Promise<void> {
    const verbs = levels.find(({ value }) => value === level)?.verbs;
    if (principal === undefined || verbs === undefined) return;
    await changeObject(kinds.cluster, { name: cluster }, (now) => ({
      spec: { access: withGrant(accessEntries(now), { principal, verbs, subresources: [] }) },
    }));
    notify.done(`${principal.name} has access to ${cluster}`);
  }

  return (
    <FormDialog
      title={`Give access to ${cluster}`}
      action="Give access"
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
          <Radio.Group label="They may" value={level} onChange={setLevel}>
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
