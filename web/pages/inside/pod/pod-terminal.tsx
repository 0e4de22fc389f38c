import { Group, NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { KubeObject } from '../../../../src/api/meta.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ShellView } from '../../../components/terminal/shell-view.tsx';
import { shellCommand, shells } from '../../../components/terminal/shells.ts';
import { useExplorer } from '../explorer-context.ts';
import { podContainers, unscheduledReason } from './pod-containers.ts';
import { ContainerSelect } from './pod-log.tsx';

/** A shell in a container of a pod. */
export function PodTerminal({ pod }: { readonly pod: KubeObject }) {
  const { root, isAwake } = useExplorer();
  const [chosen, setChosen] = useState<string>();
  const [shell, setShell] = useState('auto');
  const containers = podContainers(pod).filter(({ name, isRunning }) => isRunning || name === chosen);
  const container = containers.find(({ name }) => name === chosen) ?? containers[0];
  const { name = '', namespace = '' } = pod.metadata;
  const target = useMemo(
    () => ({ root, namespace, pod: name, container: container?.name ?? '', command: shellCommand(shell), tty: true }),
    [root, namespace, name, container?.name, shell],
  );
  if (container === undefined) {
    const reason = unscheduledReason(pod) ?? 'None of its containers is running. This page updates when one starts.';
    return <EmptyState title="No shell can be started in this pod" text={reason} />;
  }
  return (
    <>
      <Group gap="sm" mb="sm" align="flex-end">
        <ContainerSelect containers={containers} value={container.name} onChange={setChosen} />
        <NativeSelect
          label="Shell"
          value={shell}
          onChange={(event) => setShell(event.currentTarget.value)}
          data={shells.map(({ id, label }) => ({ value: id, label }))}
        />
      </Group>
      <ShellView
        target={target}
        label={`Terminal: ${container.name} of ${name}. Press Shift+Escape to leave it`}
        isActive={isAwake}
      />
    </>
  );
}
