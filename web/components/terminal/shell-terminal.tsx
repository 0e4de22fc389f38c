import { Button, Group, Text, useComputedColorScheme } from '@mantine/core';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { useEffect, useRef, useState } from 'react';
import { Confirm } from '../form/confirm.tsx';
import type { ExecTarget } from './exec-connection.ts';
import { openWithNonce } from './open-with-nonce.ts';
import { ShellSession, type ShellState } from './shell-session.ts';
import classes from './shell-terminal.module.css';
import { terminalTheme } from './terminal-theme.ts';

export interface ShellTerminalProps {
  readonly target: ExecTarget;
  /** The accessible name of the terminal. */
  readonly label: string;
  /** False if the virtual cluster cannot be used at the moment. A lost connection is then not opened again. */
  readonly isActive: boolean;
}

interface Opened {
  readonly terminal: Terminal;
  readonly shell: ShellSession;
}

/** The implementation of `ShellView`, loaded on demand: a terminal that is connected to a shell in a container. */
export function ShellTerminal({ target, label, isActive }: ShellTerminalProps) {
  const element = useRef<HTMLDivElement>(null);
  const opened = useRef<Opened>(undefined);
  const status = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<ShellState>({ type: 'connecting' });
  const [pasted, setPasted] = useState<string>();
  const scheme = useComputedColorScheme('light');
  const firstScheme = useRef(scheme);
  useEffect(() => {
    const parent = element.current;
    if (parent === null) return;
    const terminal = openTerminal(parent, firstScheme.current, label);
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    const shell = new ShellSession({ target, terminal, onState: setState });
    opened.current = { terminal, shell };
    terminal.onData((text) => shell.write(text));
    terminal.onResize(({ cols, rows }) => shell.resize({ columns: cols, rows }));
    terminal.attachCustomKeyEventHandler((event) => {
      if (event.key !== 'Escape' || !event.shiftKey) return true;
      // Moves the focus out of the terminal. Keyboard users need this shortcut, because the terminal sends Tab and
      // Escape to the shell.
      if (event.type === 'keydown') status.current?.focus();
      return false;
    });
    const stopCapture = captureMultilinePastes(parent, setPasted);
    const resizes = new ResizeObserver(() => {
      // A hidden terminal has no size.
      if (parent.clientHeight > 0) fit.fit();
    });
    resizes.observe(parent);
    fit.fit();
    shell.start();
    terminal.focus();
    return () => {
      resizes.disconnect();
      stopCapture();
      shell.close();
      terminal.dispose();
      opened.current = undefined;
    };
  }, [target, label]);
  useEffect(() => {
    if (opened.current !== undefined) opened.current.terminal.options.theme = terminalTheme(scheme);
  }, [scheme]);
  useEffect(() => opened.current?.shell.setActive(isActive), [isActive]);

  const isEnded = state.type === 'ended' || state.type === 'lost';
  return (
    <div>
      <div ref={element} className={classes.terminal} />
      <Group justify="space-between" gap="xs" mt="xs" mih={30}>
        <Text ref={status} size="sm" role="status" tabIndex={-1}>
          {stateText(state)}
        </Text>
        {isEnded ? (
          <Button
            size="xs"
            onClick={() => {
              opened.current?.shell.start();
              opened.current?.terminal.focus();
            }}
          >
            {state.type === 'lost' ? 'Reconnect now' : 'Start new shell'}
          </Button>
        ) : null}
      </Group>
      <Text size="xs" c="dimmed">
        Copy with Ctrl+Insert, paste with Ctrl+Shift+V or Shift+Insert (on a Mac with ⌘C and ⌘V). Shift+Escape leaves
        the terminal.
      </Text>
      {pasted === undefined ? null : (
        <PasteConfirm
          text={pasted}
          onClose={() => setPasted(undefined)}
          onPaste={() => {
            opened.current?.terminal.paste(pasted);
            opened.current?.terminal.focus();
          }}
        />
      )}
    </div>
  );
}

interface PasteConfirmProps {
  readonly text: string;
  onClose(): void;
  onPaste(): void;
}

/** A dialog that asks before several lines are pasted. */
function PasteConfirm({ text, onClose, onPaste }: PasteConfirmProps) {
  const lines = text.split(/\r\n|\r|\n/);
  return (
    <Confirm
      title={`Paste ${lines.length} lines?`}
      action={`Paste ${lines.length} lines`}
      onClose={onClose}
      onConfirm={async () => onPaste()}
    >
      <Text size="sm" mb="xs">
        The shell may run each line at once.
      </Text>
      <pre className={classes.pasted}>{preview(lines)}</pre>
    </Confirm>
  );
}

/**
 * Passes pasted text of several lines to `onText` instead of the terminal. Returns a function that ends the capture.
 */
function captureMultilinePastes(parent: HTMLElement, onText: (text: string) => void): () => void {
  const handlePaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!/[\r\n]/.test(text)) return;
    event.preventDefault();
    event.stopPropagation();
    onText(text);
  };
  parent.addEventListener('paste', handlePaste, { capture: true });
  return () => parent.removeEventListener('paste', handlePaste, { capture: true });
}

function openTerminal(parent: HTMLElement, scheme: 'light' | 'dark', label: string): Terminal {
  const terminal = new Terminal({
    theme: terminalTheme(scheme),
    fontFamily: getComputedStyle(parent).fontFamily,
    fontSize: 13,
    scrollback: 5_000,
    cursorBlink: false,
    // The terminal adjusts colors of programs that have less contrast than this to the background.
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    macOptionIsMeta: true,
  });
  openWithNonce(terminal, parent);
  terminal.textarea?.setAttribute('aria-label', label);
  return terminal;
}

const maxPreviewLines = 12;

function preview(lines: readonly string[]): string {
  const shown = lines.slice(0, maxPreviewLines).join('\n');
  return lines.length > maxPreviewLines ? `${shown}\n… and ${lines.length - maxPreviewLines} more lines` : shown;
}

function stateText(state: ShellState): string {
  switch (state.type) {
    case 'connecting':
      return 'Connecting…';
    case 'open':
      return 'Connected.';
    case 'ended':
      return state.text;
    case 'lost':
      return state.retries
        ? 'Connection lost. Reconnecting, which starts a new shell.'
        : 'Connection lost. Reconnect to start a new shell.';
  }
}
