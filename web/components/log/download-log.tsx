import { Button } from '@mantine/core';
import { useState } from 'react';
import { send } from '../../data/send.ts';
import { Icon } from '../icon.tsx';
import { notify } from '../notifications.tsx';
import { saveText } from '../save-text.ts';

/** The maximum size of a downloaded log. The browser holds it in memory until the file is saved. */
const maxMegabytes = 50;

export interface DownloadLogProps {
  readonly url: string;
  readonly previous: boolean;
  /** The name of the file without extension. */
  readonly fileName: string;
}

/** A button that saves the whole log from the server, with the time of each line. */
export function DownloadLog({ url, previous, fileName }: DownloadLogProps) {
  const [isBusy, setBusy] = useState(false);

  async function save(): Promise<void> {
    setBusy(true);
    try {
      const maxBytes = maxMegabytes * 1024 * 1024;
      const query = new URLSearchParams({ timestamps: 'true', limitBytes: String(maxBytes) });
      if (previous) query.set('previous', 'true');
      const response = await send({
        method: 'GET',
        url: `${url}${url.includes('?') ? '&' : '?'}${query}`,
        accept: '*/*',
      });
      const text = await response.text();
      saveText(`${fileName}${previous ? '-previous' : ''}.log`, text);
      if (new Blob([text]).size >= maxBytes) notify.done(`Saved the first ${maxMegabytes} MB of the log`);
    } catch (error) {
      notify.failed('Failed to download the log', error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Button variant="default" leftSection={<Icon name="download" />} loading={isBusy} onClick={() => void save()}>
      Download
    </Button>
  );
}
