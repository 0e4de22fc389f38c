import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import {
  type DeviceRequest,
  deviceDecisionPath,
  deviceRequestPath,
  formatUserCode,
  normalizeUserCode,
} from '../../../src/api/auth/cli-login.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatTime } from '../../data/format-time.ts';
import { sendJson } from '../../data/send.ts';
import { ConsentPanel } from './consent-panel.tsx';

interface FoundRequest extends DeviceRequest {
  readonly userCode: string;
}

/** The page on which a user enters the code of `flotilla login --no-browser`, and allows or denies the login. */
export function DevicePage() {
  const [found, setFound] = useState<FoundRequest>();
  const [decision, setDecision] = useState<boolean>();

  async function decide(allow: boolean): Promise<void> {
    const document = { userCode: found?.userCode ?? '', allow };
    await sendJson({ method: 'POST', url: deviceDecisionPath, document });
    setDecision(allow);
  }

  return (
    <>
      <PageHeader title="Log in on the command line" />
      {decision !== undefined ? (
        <Panel>
          <Text role="status">
            {decision
              ? 'The login is allowed. Return to the command line. You can close this window.'
              : 'The login is denied. You can close this window.'}
          </Text>
        </Panel>
      ) : found === undefined ? (
        <CodeForm onFound={setFound} />
      ) : (
        <ConsentPanel client={found.client} decide={decide} details={<RequestDetails found={found} />} />
      )}
    </>
  );
}

function RequestDetails({ found }: { readonly found: FoundRequest }) {
  return (
    <DetailList
      items={{
        Code: <span className="mono">{formatUserCode(found.userCode)}</span>,
        Machine: found.client,
        'IP address': found.address,
        Requested: formatTime(found.requested),
      }}
    />
  );
}

function CodeForm({ onFound }: { readonly onFound: (found: FoundRequest) => void }) {
  const { code = '' } = useSearch({ from: '/device' });
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const userCode = normalizeUserCode(String(new FormData(event.currentTarget).get('code') ?? ''));
    setBusy(true);
    setError(undefined);
    try {
      const document = { userCode };
      onFound({ ...(await sendJson<DeviceRequest>({ method: 'POST', url: deviceRequestPath, document })), userCode });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <Panel>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md" maw="24rem">
          <TextInput
            name="code"
            label="Code"
            description="The code that the command line shows, for example BCDF-GHJK."
            defaultValue={code}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            required
          />
          {error === undefined ? null : <ErrorNotice error={error} />}
          <Button type="submit" loading={isBusy}>
            Continue
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}
