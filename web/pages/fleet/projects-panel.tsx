import { Group, Progress, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Panel } from '../../components/panel.tsx';
import { countByProject } from '../../data/rows/fleet-counts.ts';
import type { RowsSnapshot } from '../../data/rows/live-rows.ts';

const maxShown = 8;

/** The number of virtual clusters by project. */
export function ProjectsPanel({ instances }: { readonly instances: RowsSnapshot }) {
  const counts = countByProject(instances);
  if (counts.length === 0) return null;
  const largest = counts[0]?.count ?? 1;
  return (
    <Panel title="By project">
      {counts.slice(0, maxShown).map(({ text, count }) => (
        <div key={text}>
          <Group justify="space-between" mt={6}>
            <Link to="/projects/$project" params={{ project: text }}>
              {text}
            </Link>
            <Link
              to="/virtual-clusters"
              search={{ filter: { Project: text } }}
              aria-label={`${count} virtual clusters of ${text}`}
            >
              {count}
            </Link>
          </Group>
          <Progress value={(100 * count) / largest} size="sm" mt={4} aria-label={`Share of ${text}`} />
        </div>
      ))}
      {counts.length > maxShown ? (
        <Text size="sm" c="dimmed" mt="sm">
          And {counts.length - maxShown} more projects.
        </Text>
      ) : null}
    </Panel>
  );
}
