import { Button } from '@mantine/core';
import { useState } from 'react';
import { sleepForceAnnotation } from '../../../../src/api/naming.ts';
import { Icon } from '../../../components/icon.tsx';
import { notify } from '../../../components/notifications.tsx';
import { wakeByRequest, wakeUp } from '../../../data/objects/sleep-and-wake.ts';
import type { InstanceSectionProps } from './use-instance-permissions.ts';

/**
 * A button that wakes a sleeping instance, or cancels a sleep that the server refused. Hidden if the caller may not
 * wake the instance.
 */
export function WakeButton({ instance, permissions }: InstanceSectionProps) {
  const [isBusy, setBusy] = useState(false);
  const { name, phase, sleep, sleepRefusal, object } = instance;
  const isRefused = sleepRefusal !== '' && object.metadata.annotations?.[sleepForceAnnotation] === 'true';
  const isOffered =
    (isRefused && permissions.canChange) ||
    (sleep === 'order' && permissions.canChange) ||
    (sleep === 'use' && (permissions.canChange || permissions.canUse));
  if (!isOffered || phase === 'Terminating') return null;

  async function wake(): Promise<void> {
    setBusy(true);
    try {
      if (permissions.canChange) await wakeUp(instance);
      else await wakeByRequest(instance);
      notify.done(isRefused ? `${name} stays awake` : `Waking ${name}`);
    } catch (error) {
      notify.failed(`Failed to wake ${name}`, error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Button leftSection={<Icon name="sun" />} loading={isBusy} onClick={() => void wake()}>
      {isRefused ? 'Cancel sleep' : 'Wake'}
    </Button>
  );
}
