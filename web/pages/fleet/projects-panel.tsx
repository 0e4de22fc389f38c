import { Group, Progress, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Panel } from '../../components/panel.tsx';
import { pluralize } from '../../data/format-text.ts';
import { countByProject } from '../../data/rows/fleet-counts.ts';
import type { RowsSnapshot } from '../../data/rows/live-rows.ts';

const maxShown = 8;

/** A panel with the number of virtual clusters in each project. */
export function ProjectsPanel({ instances }: { readonly instances: RowsSnapshot }) {
  const counts = countByProject(instances);
  if (counts.length === 0) return null;
  const largest = counts[0]?.count ?? 1;
  return (
    <Panel title="Virtual clusters by project">
      {counts.slice(0, maxShown).map(({ text, count }) => (
        <div key={text}>
          <Group justify="space-between" mt={6}>
            <Link to="/projects/$project" params={{ project: text }}>
              {text}
            </Link>
            <Link
              to="/virtual-clusters"
              search={{ filter: { Project: text } }}
              aria-label={`${pluralize(count, 'virtual cluster')} of ${text}`}
            >
              {count}
            </Link>
          </Group>
          <Progress value={(100 * count) / largest} size="sm" mt={4} aria-label={`Share of ${text}`} />
        </div>
      ))}
      {counts.length > maxShown ? (
        <Text size="sm" c="dimmed" mt="sm">
          And {pluralize(counts.length - maxShown, 'more project')}.
        </Text>
      ) : null}
    </Panel>
  );
}
