import { Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import {
  type CliConsent,
  cliGrantsPath,
  isClientName,
  isCodeChallenge,
  isLoopbackPort,
  isRandomText,
} from '../../../src/api/auth/cli-login.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { sendJson } from '../../data/send.ts';
import { ConsentPanel } from './consent-panel.tsx';

/**
 * The page that `flotilla login` opens. It sends the user's decision to the command line, which listens on a local port
 * of the user's machine.
 */
export function AuthorizeCliPage() {
  const { client = '', challenge = '', state = '', port = '' } = useSearch({ from: '/authorize-cli' });
  const asked = { client, challenge, state, port: Number(port) };
  const isComplete =
    isClientName(client) && isCodeChallenge(challenge) && isRandomText(state) && isLoopbackPort(asked.port);

  async function decide(allow: boolean): Promise<void> {
    const document: CliConsent = { ...asked, allow };
    const { redirect } = await sendJson<{ redirect: string }>({ method: 'POST', url: cliGrantsPath, document });
    location.assign(redirect);
  }

  return (
    <>
      <PageHeader title="Log in on the command line" />
      {isComplete ? (
        <ConsentPanel client={client} decide={decide} />
      ) : (
        <Panel>
          <Text>
            The address of this page is incomplete. Start the login again: <span className="mono">flotilla login</span>
          </Text>
        </Panel>
      )}
    </>
  );
}
