import { Group, Loader, Text } from '@mantine/core';
import { useEffect, useState } from 'react';

/** The delays after which first the spinner and then the message appear, so short waits show neither. */
const spinnerDelayMs = 150;
const messageDelayMs = 700;

export function LoadingIndicator({ message }: { readonly message: string }) {
  const [stage, setStage] = useState(0);
  useEffect(() => {
    const timers = [setTimeout(() => setStage(1), spinnerDelayMs), setTimeout(() => setStage(2), messageDelayMs)];
    return () => timers.forEach(clearTimeout);
  }, []);
  return (
    <Group gap="sm" p="lg" role="status" aria-live="polite" data-waiting>
      {stage === 0 ? null : <Loader size="sm" aria-hidden="true" />}
      {stage < 2 ? null : <Text c="dimmed">{message}…</Text>}
    </Group>
  );
}
