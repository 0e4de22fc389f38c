import { SimpleGrid, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { countByPhase } from '../../data/rows/fleet-counts.ts';
import type { RowsSnapshot } from '../../data/rows/live-rows.ts';
import classes from './phase-tiles.module.css';

export interface PhaseTilesProps {
  readonly instances: RowsSnapshot;
  /** Additional filters for the list that a tile links to, for example `{ Project: 'payments' }`. */
  readonly filter?: Readonly<Record<string, string>>;
  /** True if the caller may see all virtual clusters. Otherwise the title says that the numbers are incomplete. */
  readonly seesAll: boolean;
}

/** A section with the number of virtual clusters in each phase. Each tile links to the filtered list. */
export function PhaseTiles({ instances, filter = {}, seesAll }: PhaseTilesProps) {
  const title = seesAll ? 'Virtual clusters by status' : 'Virtual clusters that you can see, by status';
  return (
    <section aria-label={title}>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      <SimpleGrid cols={{ base: 2, xs: 3, md: 5 }} spacing="md">
        {countByPhase(instances).map(({ text, count }) => (
          <Link
            key={text}
            to="/virtual-clusters"
            search={{ filter: { ...filter, Status: text } }}
            className={classes.tile}
            data-phase={text}
          >
            <Text component="span" className={classes.count}>
              {count}
            </Text>
            <Text component="span" size="sm" c="dimmed">
              {text}
            </Text>
          </Link>
        ))}
      </SimpleGrid>
    </section>
  );
}
