import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { KubeObject } from '../../../../src/api/meta.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { LogView } from '../../../components/log/log-view.tsx';
import { kinds, objectUrl } from '../../../data/kind-ref.ts';
import { useExplorer } from '../explorer-context.ts';
import { type PodContainer, podContainers, unscheduledReason } from './pod-containers.ts';

/** The log of a container of a pod. */
export function PodLog({ pod }: { readonly pod: KubeObject }) {
  const { root, isAwake } = useExplorer();
  const containers = podContainers(pod);
  const [chosen, setChosen] = useState<string>();
  const container = containers.find(({ name }) => name === chosen) ?? containers[0];
  const { name = '', namespace } = pod.metadata;
  const reason = unscheduledReason(pod);
  if (container === undefined || reason !== undefined) {
    return <EmptyState title="This pod has no log" text={reason ?? 'It has no containers.'} />;
  }
  const query = new URLSearchParams({ container: container.name });
  return (
    <LogView
      url={`${objectUrl(root, kinds.pod, { namespace, name }, 'log')}?${query}`}
      label={`Log of ${container.name}`}
      fileName={`${name}-${container.name}`}
      hasPrevious={container.hasPrevious}
      isActive={isAwake}
    >
      <ContainerSelect containers={containers} value={container.name} onChange={setChosen} />
    </LogView>
  );
}

export interface ContainerSelectProps {
  readonly containers: readonly PodContainer[];
  readonly value: string;
  onChange(name: string): void;
}

export function ContainerSelect({ containers, value, onChange }: ContainerSelectProps) {
  return (
    <NativeSelect
      label="Container"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={containers.map(({ name, state, isInit }) => ({
        value: name,
        label: `${name} (${isInit ? 'init, ' : ''}${state})`,
      }))}
    />
  );
}
