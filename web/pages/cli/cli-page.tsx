import { SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { Command } from '../../components/command.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { type CliSystem, cliCommands, cliSystems, systemOf } from './cli-platform.ts';

/** The page with the commands that install the command line on the visitor's system and log in to this server. */
export function CliPage() {
  const [system, setSystem] = useState<CliSystem>(() => systemOf(navigator.userAgent));
  const { install, login, check } = cliCommands(system, location.origin);
  return (
    <>
      <PageHeader
        title="Get the CLI"
        about="The command line creates, shares and connects to virtual clusters from a terminal and from pipelines."
      />
      <Panel title="1. Install">
        <SegmentedControl
          mb="md"
          aria-label="Operating system"
          value={system}
          onChange={(value) => setSystem(value as CliSystem)}
          data={[...cliSystems]}
        />
        <Text size="sm" mb="xs">
          Download the archive for your system and SHA256SUMS of the release that your organization uses into an empty
          folder. Then run this in the folder{system === 'windows' ? ', in PowerShell' : ''}:
        </Text>
        <Command text={install} label="Install commands" />
        <Text size="sm" c="dimmed" mt="md">
          With Node 20.19 or newer, you can install the npm package of the release instead:
        </Text>
        <Command text="npm install --global ./flotilla-*.tgz" label="npm command" />
      </Panel>
      <Panel title="2. Log in">
        <Text size="sm" mb="xs">
          This opens the console and asks you to allow the login:
        </Text>
        <Command text={login} label="Login command" />
      </Panel>
      <Panel title="3. Check">
        <Command text={check} label="Check command" />
      </Panel>
    </>
  );
}
