import { Button, Grid, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { VirtualClusterInstanceKubeConfig } from '../../../../src/api/management/v1/subresources/virtual-cluster-instance-kube-config.ts';
import { Command } from '../../../components/command.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Panel } from '../../../components/panel.tsx';
import { fieldProblems } from '../../../data/field-problems.ts';
import { postSubresource } from '../../../data/objects/objects.ts';
import classes from './connect-tab.module.css';
import type { InstanceState } from './instance-state.ts';
import { KubeconfigDialog } from './kubeconfig-dialog.tsx';
import { type NewKubeconfig, readKubeconfig } from './new-kubeconfig.ts';
import type { InstanceSectionProps } from './use-instance-permissions.ts';

const lifetimes = [
  { value: '3600', label: '1 hour' },
  { value: '28800', label: '8 hours' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];

/** A tab with instructions for connecting to an instance from a terminal. */
export function ConnectTab({ instance, permissions }: InstanceSectionProps) {
  if (!permissions.canConnect) {
    return (
      <div className="card">
        <EmptyState
          title="No permission to connect"
          text={`The owner, a project admin or an administrator can share this ${instance.type.noun} with you on the Access tab.`}
        />
      </div>
    );
  }
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title="Kubeconfig">
          <KubeconfigForm instance={instance} />
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title="Command line">
          <CommandLine instance={instance} />
        </Panel>
      </Grid.Col>
    </Grid>
  );
}

function KubeconfigForm({ instance: { type, namespace, name, phase } }: { readonly instance: InstanceState }) {
  const [seconds, setSeconds] = useState('86400');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [made, setMade] = useState<NewKubeconfig>();

  async function make(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const document = { spec: { certificateTTL: Number(seconds) } };
      const answer = await postSubresource<VirtualClusterInstanceKubeConfig>(
        type.kind,
        { namespace, name },
        'kubeconfig',
        document,
      );
      setMade(readKubeconfig(answer));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  const problem = fieldProblems(error)('spec.certificateTTL');
  return (
    <>
      <form onSubmit={(event) => void make(event)}>
        <Stack gap="md">
          <Text size="sm">
            A kubeconfig is a file for kubectl and other Kubernetes tools. This one gives access only to this{' '}
            {type.noun}, with your permissions. The server does not store it, so copy or download it while it is shown.
          </Text>
          <Group align="flex-end" gap="sm">
            <NativeSelect
              label="Valid for"
              data={lifetimes}
              value={seconds}
              onChange={(event) => setSeconds(event.currentTarget.value)}
              error={problem}
            />
            <Button type="submit" loading={isBusy}>
              Create kubeconfig
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            The kubeconfig also expires when you sign out, because it belongs to this session. If you need it for
            longer, use the command line or an access key.
          </Text>
          {phase === 'Sleeping' ? (
            <Text size="sm" c="dimmed">
              The {type.noun} is asleep. The kubeconfig works after the {type.noun} wakes.
            </Text>
          ) : null}
          {error === undefined || problem !== undefined ? null : <ErrorNotice error={error} />}
        </Stack>
      </form>
      {made === undefined ? null : (
        <KubeconfigDialog name={name} probe={type.probe.command} kubeconfig={made} onClose={() => setMade(undefined)} />
      )}
    </>
  );
}

function CommandLine({ instance: { type, project, name } }: { readonly instance: InstanceState }) {
  return (
    <Stack gap="md">
      <ol className={classes.steps}>
        <li>
          Sign in, once on each machine:
          <Command text={`flotilla login ${location.origin}`} />
        </li>
        <li>
          Configure kubectl. Your kubeconfig then contains no secret:
          <Command text={`${type.program} connect ${name} --project ${project} --exec`} />
        </li>
        <li>
          {type.probe.about}
          <Command text={type.probe.command} />
        </li>
      </ol>
      <Text size="sm">Or run a single command without changing your kubeconfig:</Text>
      <Command text={`${type.program} connect ${name} --project ${project} -- ${type.probe.command}`} />
    </Stack>
  );
}
