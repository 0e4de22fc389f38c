import { Button, Group, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Command } from '../../components/command.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { pluralize } from '../../data/format-text.ts';
import { formatTime } from '../../data/format-time.ts';
import { AuditFilters } from './audit-filters.tsx';
import type { AuditSearch } from './audit-search.ts';
import { AuditTable } from './audit-table.tsx';
import { ExportButton } from './export-button.tsx';
import { UnsearchedReplicas } from './unsearched-replicas.tsx';
import { useAudit } from './use-audit.ts';

/** The page that searches the audit log. The URL contains the search parameters. */
export function AuditPage() {
  const search = useSearch({ from: '/audit-log' });
  const navigate = useNavigate();
  const [exportError, setExportError] = useState<Error | null>(null);
  const [searchedAt, setSearchedAt] = useState(() => Date.now());
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useAudit(search, searchedAt);
  const events = data?.pages.flatMap(({ items }) => items) ?? [];
  const metadata = data?.pages.at(-1)?.metadata;
  const reached = metadata?.reached;

  function runSearch(next: AuditSearch): void {
    setSearchedAt(Date.now());
    void navigate({ to: '/audit-log', search: next });
  }

  return (
    <>
      <PageHeader
        title="Audit log"
        about="A record of changes, denied requests, and issued kubeconfigs and tokens, newest first."
        actions={<ExportButton search={search} onError={setExportError} />}
      />
      {exportError === null ? null : (
        <Group mb="md">
          <ErrorNotice error={exportError} />
        </Group>
      )}
      <div className="card">
        <AuditFilters search={search} onSearch={runSearch} isBusy={isFetching} />
        {error === null ? null : (
          <Group px="md" pb="sm">
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          </Group>
        )}
        {data === undefined ? (
          error === null ? (
            <LoadingIndicator message="Searching audit log" />
          ) : null
        ) : (
          <>
            <UnsearchedReplicas replicas={metadata?.incomplete ?? []} />
            <Text size="sm" c="dimmed" px="md" pb="xs" role="status">
              {pluralize(events.length, 'event')}
              {hasNextPage
                ? `${reached === undefined ? '' : ` since ${formatTime(reached)}`}. Older events are not loaded yet.`
                : '. No older events match the search.'}
            </Text>
            {events.length === 0 ? (
              <EmptyState
                title={hasNextPage ? 'No matches yet' : 'No matching events'}
                text={
                  hasNextPage ? (
                    'The log contains older events that have not been searched yet.'
                  ) : (
                    <>
                      The log contains changes, denied requests, and issued kubeconfigs and tokens. Remove filters to
                      find more events, or search on the command line:
                      <Command text="flotilla audit --since 24h" />
                    </>
                  )
                }
              />
            ) : (
              <AuditTable events={events} onNarrow={(more) => runSearch({ ...search, ...more })} />
            )}
            {hasNextPage ? (
              <Group justify="center" p="md">
                <Button variant="default" loading={isFetching} onClick={() => void fetchNextPage()}>
                  Load older events
                </Button>
              </Group>
            ) : null}
          </>
        )}
      </div>
    </>
  );
}
