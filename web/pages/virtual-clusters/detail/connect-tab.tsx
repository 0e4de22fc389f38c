import { Button, Grid, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Command } from '../../../components/command.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Panel } from '../../../components/panel.tsx';
import { fieldProblems } from '../../../data/field-problems.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { postSubresource } from '../../../data/objects.ts';
import classes from './connect-tab.module.css';
import type { InstanceFacts } from './instance-facts.ts';
import { type Kubeconfig, kubeconfigIn } from './kubeconfig-answer.ts';
import { KubeconfigDialog } from './kubeconfig-dialog.tsx';
import type { InstancePartProps } from './use-instance-rights.ts';

const lifetimes = [
  { value: '3600', label: '1 hour' },
  { value: '28800', label: '8 hours' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];

/** The ways into a virtual cluster from a terminal. */
export function ConnectTab({ facts, rights }: InstancePartProps) {
  if (!rights.canConnect) {
    return (
      <div className="card">
        <EmptyState
          title="You may look at it, but not use it"
          text="Its owner, an administrator of the project, or an administrator can share it with you under Access."
        />
      </div>
    );
  }
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title="With a kubeconfig">
          <KubeconfigForm facts={facts} />
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title="With the command line">
          <CommandLine facts={facts} />
        </Panel>
      </Grid.Col>
    </Grid>
  );
}

function KubeconfigForm({ facts: { namespace, name, phase } }: { readonly facts: InstanceFacts }) {
  const [seconds, setSeconds] = useState('86400');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [made, setMade] = useState<Kubeconfig>();

  async function make(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const document = { spec: { certificateTTL: Number(seconds) } };
      const answer = await postSubresource(kinds.instance, { namespace, name }, 'kubeconfig', document);
      setMade(kubeconfigIn(answer));
    } catch (refusal) {
      setError(refusal);
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
            A file for kubectl and every other Kubernetes tool. It opens this virtual cluster as you and nothing else,
            is made for you now, and is kept nowhere: copy it or save it while you see it.
          </Text>
          <Group align="flex-end" gap="sm">
            <NativeSelect
              label="It is good for"
              data={lifetimes}
              value={seconds}
              onChange={(event) => setSeconds(event.currentTarget.value)}
              error={problem}
            />
            <Button type="submit" loading={isBusy}>
              Make a kubeconfig
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            It also ends when you sign out of this console, as it was made with this session. For one that goes on, use
            the command line beside, or an access key of your own.
          </Text>
          {phase === 'Sleeping' ? (
            <Text size="sm" c="dimmed">
              It sleeps now. The kubeconfig is good all the same, and what it opens answers once it is awake.
            </Text>
          ) : null}
          {error === undefined || problem !== undefined ? null : <ErrorNotice error={error} />}
        </Stack>
      </form>
      {made === undefined ? null : (
        <KubeconfigDialog name={name} kubeconfig={made} onClose={() => setMade(undefined)} />
      )}
    </>
  );
}

function CommandLine({ facts: { project, name } }: { readonly facts: InstanceFacts }) {
  return (
    <Stack gap="md">
      <ol className={classes.steps}>
        <li>
          Log in, once on each machine:
          <Command text={`flotilla login ${location.origin}`} />
        </li>
        <li>
          Let kubectl talk to it from now on, without a secret in your kubeconfig:
          <Command text={`flotilla connect ${name} --project ${project} --exec`} />
        </li>
        <li>
          Look around:
          <Command text="kubectl get namespaces" />
        </li>
      </ol>
      <Text size="sm">Or for one command alone, with nothing left behind:</Text>
      <Command text={`flotilla connect ${name} --project ${project} -- kubectl get namespaces`} />
    </Stack>
  );
}
