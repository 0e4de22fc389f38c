import { Button } from '@mantine/core';
import { useState } from 'react';
import { auditExportPath } from '../../../src/api/audit/audit-event.ts';
import { writeAuditQuery } from '../../../src/api/audit/audit-query.ts';
import { Icon } from '../../components/icon.tsx';
import { saveText } from '../../components/save-text.ts';
import { send } from '../../data/send.ts';
import { type AuditSearch, auditQuery } from './audit-search.ts';

/** Saves all events that match the search as a CSV file. */
export function ExportButton({
  search,
  onError,
}: {
  readonly search: AuditSearch;
  onError(error: Error | null): void;
}) {
  const [isBusy, setBusy] = useState(false);

  async function save(): Promise<void> {
    setBusy(true);
    onError(null);
    try {
      const now = Date.now();
      const query = new URLSearchParams(writeAuditQuery(auditQuery(search, now)));
      query.set('format', 'csv');
      const response = await send({ method: 'GET', url: `${auditExportPath}?${query}`, accept: '*/*' });
      saveText(`audit-${new Date(now).toISOString().slice(0, 10)}.csv`, await response.text());
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Button variant="default" leftSection={<Icon name="download" />} loading={isBusy} onClick={() => void save()}>
      Export CSV
    </Button>
  );
}
