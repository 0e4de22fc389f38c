import { Button } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../../components/icon.tsx';
import { notify } from '../../../components/notices.tsx';
import { knock, wakeUp } from '../../../data/instance-writes.ts';
import type { InstancePartProps } from './use-instance-rights.ts';

/** Wakes a virtual cluster that sleeps, where whoever looks at it may. */
export function WakeButton({ facts, rights }: InstancePartProps) {
  const [isBusy, setBusy] = useState(false);
  const { name, namespace, project, phase, sleep } = facts;
  const isOffered = (sleep === 'order' && rights.canChange) || (sleep === 'use' && (rights.canChange || rights.canUse));
  if (!isOffered || phase === 'Terminating') return null;

  async function wake(): Promise<void> {
    setBusy(true);
    try {
      if (rights.canChange) await wakeUp(project, { namespace, name });
      else await knock(project, name);
      notify.done(`${name} is being woken`);
    } catch (error) {
      notify.failed(`${name} cannot be woken`, error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Button leftSection={<Icon name="sun" />} loading={isBusy} onClick={() => void wake()}>
      Wake
    </Button>
  );
}
