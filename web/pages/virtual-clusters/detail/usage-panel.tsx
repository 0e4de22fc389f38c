import { Button, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Waiting } from '../../../components/waiting.tsx';
import { virtualClusterRoot } from '../../../data/api-root.ts';
import { usageQuery } from '../../../data/usage.ts';
import { kindId } from '../../inside/inside-place.ts';
import type { InstanceFacts } from './instance-facts.ts';
import classes from './usage-panel.module.css';
import type { InstancePartProps } from './use-instance-rights.ts';

/** How much there is inside. Only one that is awake is asked: to ask is to use, and whoever uses it wakes it. */
export function UsagePanel({ facts, rights }: InstancePartProps) {
  if (!rights.canUse) return null;
  return (
    <Panel title="What is inside">
      {facts.isOpen ? (
        <AwakeUsage facts={facts} />
      ) : (
        <Text size="sm" c="dimmed">
          {facts.phase === 'Sleeping' ? 'It is not woken to be counted.' : 'It is counted when it can be used.'}
        </Text>
      )}
    </Panel>
  );
}

function AwakeUsage({ facts: { project, name, sleepAfter, deleteAfter } }: { readonly facts: InstanceFacts }) {
  // Where something happens when it is not used, looking at this page is no reason to keep it from that.
  const [isWanted, setWanted] = useState(sleepAfter === undefined && deleteAfter === undefined);
  const { data, error, refetch, isPending } = useQuery({
    ...usageQuery(virtualClusterRoot(project, name)),
    enabled: isWanted,
  });
  if (!isWanted) {
    return (
      <>
        <Text size="sm" c="dimmed" mb="sm">
          To count is to use it: the time until it falls asleep or goes would begin anew.
        </Text>
        <Button variant="light" size="xs" onClick={() => setWanted(true)}>
          Count all the same
        </Button>
      </>
    );
  }
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Waiting words="Counting" />;
  if (data.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There is nothing in it that you may list.
      </Text>
    );
  }
  return (
    <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm" verticalSpacing="sm">
      {data.map(({ kind, title, count }) => (
        <Link
          key={kindId(kind)}
          className={classes.count}
          to="/virtual-clusters/$project/$name/inside"
          params={{ project, name }}
          search={{ kind: kindId(kind) }}
        >
          <span className={classes.number}>{count}</span>
          <span className={classes.title}>{title}</span>
        </Link>
      ))}
    </SimpleGrid>
  );
}
