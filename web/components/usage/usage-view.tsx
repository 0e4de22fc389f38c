import { Button, Group, SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Usage } from '../../../src/api/management/v1/usage/usage.ts';
import type { UsagePeriod } from '../../../src/api/usage/usage-periods.ts';
import { formatTime } from '../../data/format-time.ts';
import { readUsageCsv, recordedUsageQuery, type UsageOwner } from '../../data/recorded-usage.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { Icon } from '../icon.tsx';
import { SimpleTable } from '../list/simple-table.tsx';
import { LoadingIndicator } from '../loading-indicator.tsx';
import { Panel } from '../panel.tsx';
import { saveText } from '../save-text.ts';
import { shownAmounts } from './usage-amounts.ts';
import { UsageChart } from './usage-chart.tsx';

const periods = [
  { value: '24h', label: '24 hours' },
  { value: '14d', label: '14 days' },
];
const periodMs: Readonly<Record<UsagePeriod, number>> = { '24h': 24 * 3_600_000, '14d': 14 * 24 * 3_600_000 };

/** The usage and the costs of an object, or of the installation, as charts, as a table and as CSV. */
export function UsageView({ owner }: { readonly owner: UsageOwner }) {
  const [period, setPeriod] = useState<UsagePeriod>('24h');
  const [isTable, setTable] = useState(false);
  const [exportError, setExportError] = useState<unknown>(null);
  const { data, error, refetch, dataUpdatedAt } = useQuery(recordedUsageQuery(owner, period));

  async function save(): Promise<void> {
    setExportError(null);
    try {
      saveText(`usage-${owner.place.name}-${period}.csv`, await readUsageCsv(owner, period));
    } catch (reason) {
      setExportError(reason);
    }
  }

  return (
    <section aria-label="Usage">
      <Group justify="space-between" mb="md">
        <SegmentedControl
          aria-label="Period"
          data={periods}
          value={period}
          onChange={(value) => setPeriod(value === '14d' ? '14d' : '24h')}
        />
        <Group gap="sm">
          <Button variant="default" onClick={() => setTable(!isTable)}>
            {isTable ? 'Show charts' : 'Show table'}
          </Button>
          <Button variant="default" leftSection={<Icon name="download" />} onClick={() => void save()}>
            Export CSV
          </Button>
        </Group>
      </Group>
      {exportError === null ? null : <ErrorNotice error={exportError} />}
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <LoadingIndicator message="Loading usage" /> : null}
      {data === undefined ? null : <Content usage={data} period={period} now={dataUpdatedAt} isTable={isTable} />}
    </section>
  );
}

interface ContentProps {
  readonly usage: Usage;
  readonly period: UsagePeriod;
  readonly now: number;
  readonly isTable: boolean;
}

function Content({ usage, period, now, isTable }: ContentProps) {
  const { total, currency = '', samples = [] } = usage;
  if (total === undefined || samples.length === 0) {
    return (
      <Panel>
        <Text>No usage was recorded in this period. The first sample is visible after about a minute.</Text>
      </Panel>
    );
  }
  return (
    <>
      {total.cost === undefined ? null : (
        <Text size="lg" mb="md">
          Cost in this period:{' '}
          <strong>
            {total.cost} {currency}
          </strong>
        </Text>
      )}
      {isTable ? (
        <UsageTable usage={usage} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
          {shownAmounts.map((amount) => (
            <UsageChart key={amount.title} amount={amount} usage={usage} from={now - periodMs[period]} to={now} />
          ))}
        </SimpleGrid>
      )}
    </>
  );
}

/** All samples as a table, newest first. The charts show the same values. */
function UsageTable({ usage: { samples = [], total, currency = '' } }: { readonly usage: Usage }) {
  const amounts = shownAmounts.filter(({ amountOf }) => total !== undefined && amountOf(total) !== undefined);
  const hasCosts = total?.cost !== undefined;
  return (
    <div className="card">
      <SimpleTable
        label="Usage by time"
        head={['Start', ...amounts.map(({ title }) => title), ...(hasCosts ? [`Cost (${currency})`] : [])]}
        rows={samples.toReversed().map((sample) => ({
          key: sample.start,
          cells: [
            formatTime(sample.start),
            ...amounts.map(({ amountOf, format }) => {
              const value = amountOf(sample);
              return value === undefined ? 'not measured' : format(value);
            }),
            ...(hasCosts ? [sample.cost ?? ''] : []),
          ],
        }))}
      />
    </div>
  );
}
