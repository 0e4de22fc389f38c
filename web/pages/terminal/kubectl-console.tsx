import { Button, Group, Text } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { Confirm } from '../../components/form/confirm.tsx';
import { browserClock } from '../../data/browser-clock.ts';
import { discoveryQuery } from '../../data/discovery.ts';
import { queryClient } from '../../data/query-client.ts';
import { useExplorer } from '../inside/explorer-context.ts';
import { addToHistory, commandHistory } from './command-history.ts';
import { CommandLine } from './command-line.tsx';
import { execOutput } from './exec-output.ts';
import type { CommandContext, Question } from './kubectl/command.ts';
import { runCommandLine } from './kubectl/commands.ts';
import { failureText } from './kubectl/kubectl-error.ts';
import { ManifestDialog } from './manifest-dialog.tsx';
import { commandApi } from './page-api.ts';
import { Transcript } from './transcript.ts';
import { TranscriptView } from './transcript-view.tsx';

/** A dialog that a command has opened. The command waits until `answer` is called. */
type OpenDialog =
  | { readonly type: 'question'; readonly question: Question; answer(isConfirmed: boolean): void }
  | { readonly type: 'manifest'; readonly action: string; answer(text: string | undefined): void };

const examples = ['get namespaces', 'get all -A', 'api-resources', 'apply -f -', 'auth can-i --list', 'help'];

/** A terminal for commands with the syntax of kubectl. The browser sends the requests of the commands. */
export function KubectlConsole() {
  const { root, project, name, isAwake } = useExplorer();
  const transcript = useMemo(() => new Transcript(browserClock), []);
  const entries = useSyncExternalStore(transcript.subscribe, transcript.get);
  const [namespace, setNamespace] = useState('default');
  const [running, setRunning] = useState<AbortController>();
  const [dialog, setDialog] = useState<OpenDialog>();
  const cluster = `${project}/${name}`;
  const served = useCallback(() => queryClient.fetchQuery(discoveryQuery(root)), [root]);
  const stop = useCallback(() => running?.abort(), [running]);
  const latest = useRef(running);
  latest.current = running;
  useEffect(() => () => latest.current?.abort(), []);
  // Aborts the running command if the virtual cluster falls asleep, because further requests of the command would wake
  // the virtual cluster.
  useEffect(() => {
    if (!isAwake) latest.current?.abort();
  }, [isAwake]);

  async function run(line: string): Promise<void> {
    addToHistory(cluster, line);
    const id = transcript.begin(line, namespace);
    const stopping = new AbortController();
    setRunning(stopping);
    const { signal } = stopping;
    const context: CommandContext = {
      root,
      api: commandApi,
      namespace,
      signal,
      now: () => Date.now(),
      served,
      print: (text) => transcript.print(id, text),
      setNamespace,
      ask: (question) => answerOf<boolean>(setDialog, (answer) => ({ type: 'question', question, answer })),
      readManifest: (action) =>
        answerOf<string | undefined>(setDialog, (answer) => ({ type: 'manifest', action, answer })),
      openTerminal: (terminal) => transcript.change(id, { terminal }),
      exec: (target) => execOutput(target, signal, (text) => transcript.print(id, text)),
    };
    try {
      await runCommandLine(line, context);
      transcript.change(id, { state: 'done' });
    } catch (error) {
      if (signal.aborted) transcript.print(id, '^C');
      else transcript.print(id, failureText(error));
      transcript.change(id, { state: signal.aborted ? 'done' : 'failed' });
    } finally {
      setRunning((before) => (before === stopping ? undefined : before));
    }
  }

  return (
    <section aria-label={`kubectl in ${name}`}>
      <TranscriptView entries={entries} isActive={isAwake}>
        <Text size="sm" mb="xs">
          Type a kubectl command. The browser sends its requests with your permissions; nothing has to be installed.
        </Text>
        <Group gap="xs">
          {examples.map((example) => (
            <Button key={example} size="compact-sm" variant="default" onClick={() => void run(example)}>
              {example}
            </Button>
          ))}
        </Group>
      </TranscriptView>
      <CommandLine
        root={root}
        namespace={namespace}
        history={() => commandHistory(cluster)}
        served={served}
        isRunning={running !== undefined}
        onRun={(line) => void run(line)}
        onStop={stop}
        onClear={() => transcript.clear()}
      />
      {dialog === undefined ? null : <CommandDialog dialog={dialog} namespace={namespace} />}
    </section>
  );
}

/** Opens a dialog and resolves with the user's answer. */
function answerOf<Answer>(
  setDialog: (dialog: OpenDialog | undefined) => void,
  open: (answer: (value: Answer) => void) => OpenDialog,
): Promise<Answer> {
  return new Promise((resolve) => {
    setDialog(
      open((value) => {
        setDialog(undefined);
        resolve(value);
      }),
    );
  });
}

function CommandDialog({ dialog, namespace }: { readonly dialog: OpenDialog; readonly namespace: string }) {
  if (dialog.type === 'manifest') {
    return <ManifestDialog action={dialog.action} namespace={namespace} onAnswer={dialog.answer} />;
  }
  return (
    <Confirm
      title={dialog.question.title}
      action={dialog.question.action}
      danger
      onClose={() => dialog.answer(false)}
      onConfirm={async () => dialog.answer(true)}
    >
      <Text size="sm">{dialog.question.text}</Text>
    </Confirm>
  );
}
