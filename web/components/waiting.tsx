import { Group, Loader, Text } from '@mantine/core';
import { useEffect, useState } from 'react';

/** Nobody is shown that something is going on before it takes a moment; after a second it says what. */
const quiet = 150;
const wordless = 700;

export function Waiting({ words }: { readonly words: string }) {
  const [stage, setStage] = useState(0);
  useEffect(() => {
    const timers = [setTimeout(() => setStage(1), quiet), setTimeout(() => setStage(2), wordless)];
    return () => timers.forEach(clearTimeout);
  }, []);
  return (
    <Group gap="sm" p="lg" role="status" aria-live="polite" data-waiting>
      {stage === 0 ? null : <Loader size="sm" aria-hidden="true" />}
      {stage < 2 ? null : <Text c="dimmed">{words}…</Text>}
    </Group>
  );
}
